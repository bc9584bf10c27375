#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>

#include "base/error.hpp"
#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "check/check.hpp"
#include "cli/check_report.hpp"
#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/option_values.hpp"
#include "cli/pack_arguments.hpp"
#include "cli/pack_command.hpp"
#include "cli/whole_file.hpp"

namespace hotpack::cli {

namespace {

struct CheckCommand {
  PackArguments arguments;
  bool headers_only = false;
  std::string write_classes;  // file; empty: none
  const CLI::App* app = nullptr;
};

int exit_code_of(pipeline::CheckResult result) {
  return result == pipeline::CheckResult::succeeds ? kExitGood : kExitData;
}

// True if the classes have no names, only the ids 0 … N−1.
bool has_numbered_classes(const pipeline::CheckReport& report) {
  for (std::size_t c = 0; c < report.classes.size(); ++c)
    if (report.classes[c].name != std::to_string(c)) return false;
  return report.label_files && !report.mapped && !report.classes.empty();
}

Status write_class_table(const pipeline::CheckReport& report, const std::string& path) {
  if (report.colors) return write_new_file(path, pipeline::skeleton_of(*report.colors));
  if (has_numbered_classes(report))
    return write_new_file(path, pipeline::skeleton_of_ids(report.classes.size()));
  return usage_error("--write-classes " + path +
                     ": there is nothing to write, because every color or id in the labels has a "
                     "class with a name; leave the option out");
}

// Returns the option, with the path, that makes pack read the written table.
std::string option_of_table(const pipeline::CheckReport& report, const std::string& path) {
  const bool map = report.colors && pipeline::needs_map(*report.colors);
  return (map ? "--map " : "--classes ") + shell_path(path);
}

// Returns the option for the written table that the command to run next needs; empty if none.
std::string written_option(const pipeline::CheckReport& report, const CheckCommand& command) {
  return command.write_classes.empty() || !report.colors
             ? ""
             : " " + option_of_table(report, command.write_classes);
}

std::string written_text(const pipeline::CheckReport& report, const std::string& path) {
  return "wrote " + quoted_text(path) + ": name the classes in it, then add " +
         option_of_table(report, path);
}

// Adds the given options to the commands that diagnostics propose.
void finish_commands(const CommandContext& context, pipeline::CheckReport& report) {
  pipeline::Diagnostics finished;
  for (pipeline::Diagnostic diagnostic : report.diagnostics.all()) {
    diagnostic.title = with_given_options(diagnostic.title, context.given_options());
    finished.add(std::move(diagnostic));
  }
  report.diagnostics = std::move(finished);
}

bool reads_standard_input(const CLI::App& command) {
  const std::vector<const CLI::Option*> options = command.get_options();
  return std::any_of(options.begin(), options.end(), [](const CLI::Option* option) {
    return option->results() == std::vector<std::string>{"-"};
  });
}

int run_check(CommandContext& context, CheckCommand& command) {
  if (wants_preset_list(command.arguments)) {
    context.print(preset_list());
    return kExitGood;
  }
  const auto start = std::chrono::steady_clock::now();
  command.arguments.options.run.threads = context.jobs();
  context.stop_on_signals();
  Result<pipeline::CheckReport> report =
      pipeline::check(command.arguments.options, command.headers_only, context.terminal());
  context.terminal().finish_progress();
  if (!report.ok()) return context.fail(report.error());
  if (report->result == pipeline::CheckResult::stopped) {
    context.terminal().warning("stopped before all samples were examined");
    return kExitGood;  // run_main() raises the signal again
  }
  finish_commands(context, *report);
  const std::string written = written_option(*report, command);
  const CheckEnd end{
      pack_command_line(*command.app) + written, !written.empty(),
      reads_standard_input(*command.app),
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
  const Report shown = check_report(*report, end, context.columns());
  const Status table =
      command.write_classes.empty() ? Status() : write_class_table(*report, command.write_classes);
  if (context.json() && table.ok()) {  // if it is not, stdout gets the error alone
    context.print(shown);
  } else if (!context.json()) {
    context.output().write_painted(
        check_text(shown, report->result, context.columns(), context.colored_output()));
  }
  if (!table.ok()) return context.fail(table.error());
  if (!command.write_classes.empty())
    context.terminal().info(written_text(*report, command.write_classes));
  return exit_code_of(report->result);
}

void define_check(CLI::App& sub, CommandContext& context) {
  auto command = std::make_shared<CheckCommand>();
  set_examples(
      sub,
      "hotpack check --images train --labels train_labels --classes class_dict.csv --size 512x512\n"
      "hotpack check CamVid --size 512x512   # all splits, and images that are in two of them\n"
      "hotpack check --images train --labels ids --num-classes 12 --fast   # headers alone\n"
      "hotpack check --images train --labels ids --num-classes 12 --json > report.json");
  command->app = &sub;
  add_sample_options(sub, command->arguments);
  add_writing_options(sub, command->arguments);  // so that check accepts the options of a pack run
  sub.add_flag("--fast", command->headers_only,
               "read headers only: pairs, formats, sizes and orientations, no pixels")
      ->group("Running");
  add_value(sub, "--write-classes", command->write_classes,
            "write a class table to fill in, with the colors or ids of the labels, if nothing says "
            "what they mean; never replaces a file",
            "FILE", "Running");
  context.add_jobs_option(sub);
  context.add_json_option(sub);
  context.add_config_option(sub);
  context.set_action(sub, [&context, command] { return run_check(context, *command); });
}

}  // namespace

void add_check_command(CLI::App& app, CommandContext& context) {
  context.add_command(app, "check",
                      "Reports errors and likely mistakes in a data set; packs nothing",
                      define_check);
}

}  // namespace hotpack::cli
