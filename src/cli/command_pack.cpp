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

struct PackCommand {
  PackArguments arguments;
  bool dry_run = false;
};

void say_lines(Terminal& terminal, pipeline::Level level, const std::string& text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    terminal.message(level, std::string_view(text).substr(begin, end - begin));
    begin = end == std::string::npos ? text.size() : end + 1;
  }
}

int refuse(CommandContext& context, const pipeline::PackReport& report) {
  say_lines(context.terminal(), pipeline::Level::error, report.problems.text());
  context.terminal().error("nothing was packed: " + counted(report.problems.count(), "problem") + " in the input");
  return kExitData;
}

int stopped(CommandContext& context, const pipeline::PackReport& report, const std::string& output) {
  context.terminal().warning("stopped; " + std::to_string(report.kept_shards + report.packed_shards) + " of " +
                             std::to_string(report.plan.shards) + " shards are finished in " + output +
                             ". Run the same command again to continue");
  return kExitGood;  // the frame raises the signal again
}

int report_end(CommandContext& context, const PackCommand& command, const pipeline::PackReport& report, double seconds) {
  using pipeline::PackStatus;
  const std::string& output = command.arguments.options.run.output;
  for (const std::string& warning : report.plan.warnings) context.terminal().warning(warning);
  if (context.json()) context.output().write(report_json(report, output, seconds));
  if (report.status == PackStatus::refused) return refuse(context, report);
  if (report.status == PackStatus::stopped) return stopped(context, report, output);
  say_lines(context.terminal(), pipeline::Level::warning, remarks_text(report.remarks));
  if (report.problems.count() > 0) say_lines(context.terminal(), pipeline::Level::warning, "skipped: " + report.problems.text());
  if (!context.json())
    context.output().write(report.status == PackStatus::planned ? plan_text(report.plan) : summary_text(report, output, seconds));
  if (report.skipped == 0) return kExitGood;
  context.terminal().warning(counted(report.skipped, "sample") + " left out of the data set (exit status 1); --force tries again");
  return kExitData;
}

int run_pack(CommandContext& context, PackCommand& command) {
  const auto start = std::chrono::steady_clock::now();
  command.arguments.options.run.threads = context.jobs();
  context.stop_on_signals();
  const Result<pipeline::PackReport> report = pipeline::pack(command.arguments.options, command.dry_run, context.terminal());
  context.terminal().finish_progress();
  if (!report.ok()) return context.fail(report.error());
  return report_end(context, command, *report, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

}  // namespace

void add_pack_command(CLI::App& app, CommandContext& context) {
  auto command = std::make_shared<PackCommand>();
  CLI::App& sub = *app.add_subcommand("pack", "Packs images and labels into a data set of memory-mappable shards");
  set_examples(sub,
               "hotpack pack --images train --labels train_labels --classes class_dict.csv --size 512x512 -o packed/train\n"
               "hotpack pack --images photos --labels ids --size 512x512 --fit crop-or-pad -o packed/val   # labels hold class ids\n"
               "hotpack pack --image-folders flowers/train --size 224x224 --fit cover -o packed/flowers   # class = folder name\n"
               "hotpack pack --images photos --size 224x224 -o packed/photos   # no labels");
  add_sample_options(sub, command->arguments);
  add_writing_options(sub, command->arguments);
  sub.add_flag("-n,--dry-run", command->dry_run, "print the plan and stop before writing")->group("Output and running");
  context.add_jobs_option(sub);
  context.add_json_option(sub);
  context.add_config_option(sub);
  sub.callback([&context, command] { context.set_action([&context, command] { return run_pack(context, *command); }); });
}

}  // namespace hotpack::cli
