#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/pack_arguments.hpp"
#include "cli/pack_report.hpp"
#include "cli/text.hpp"
#include "pipeline/pack.hpp"

namespace hotpack::cli {

namespace {

std::string check_text(const pipeline::PackReport& report) {
  std::string text = plan_text(report.plan);
  if (report.schema && report.statistics) {
    const std::string classes = classes_text(*report.schema, *report.statistics);
    if (!classes.empty()) text += "classes\n" + classes;
  }
  const std::string remarks = remarks_text(report.remarks);
  if (!remarks.empty()) text += "remarks\n" + remarks;
  for (const std::string& warning : report.plan.warnings) text += "warning: " + warning + "\n";
  if (report.problems.count() == 0) return text + "no problem found: pack would succeed\n";
  return text + "problems\n" + report.problems.text() + counted(report.problems.count(), "problem") + ": pack would refuse this input\n";
}

int run_check(CommandContext& context, PackArguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  arguments.options.run.threads = context.jobs();
  context.stop_on_signals();
  const Result<pipeline::PackReport> report = pipeline::check(arguments.options, context.terminal());
  context.terminal().finish_progress();
  if (!report.ok()) return context.fail(report.error());
  if (report->status == pipeline::PackStatus::stopped) {
    context.terminal().warning("stopped before all samples were looked at");
    return kExitGood;  // the frame raises the signal again
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  context.output().write(context.json() ? report_json(*report, "", seconds) : check_text(*report));
  return report->status == pipeline::PackStatus::refused ? kExitData : kExitGood;
}

}  // namespace

void add_check_command(CLI::App& app, CommandContext& context) {
  auto arguments = std::make_shared<PackArguments>();
  CLI::App& sub = *app.add_subcommand("check", "Does everything that pack does except writing, and reports every problem at once");
  set_examples(sub, "hotpack check --images train --labels train_labels --classes class_dict.csv --size 512x512");
  add_sample_options(sub, *arguments);
  add_writing_options(sub, *arguments);  // so that a pack's options can be given unchanged; -o tells whose free space counts
  context.add_jobs_option(sub);
  context.add_json_option(sub);
  context.add_config_option(sub);
  sub.callback([&context, arguments] { context.set_action([&context, arguments] { return run_check(context, *arguments); }); });
}

}  // namespace hotpack::cli
