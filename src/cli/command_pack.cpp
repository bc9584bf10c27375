#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/pack_arguments.hpp"
#include "cli/pack_messages.hpp"
#include "cli/pack_report.hpp"
#include "cli/text.hpp"
#include "pack/pack.hpp"

namespace hotpack::cli {

namespace {

struct PackCommand {
  PackArguments arguments;
  bool dry_run = false;
  std::vector<const CLI::Option*> planned;  // the options that a plan decides
};

// With --plan, refuses the options that the plan decides: it holds them already.
Status check_planned_options(const PackCommand& command) {
  if (command.arguments.options.run.plan_file.empty()) return {};
  for (const CLI::Option* option : command.planned)
    if (option->count() > 0)
      return usage_error("--plan: the plan decides inputs and records, so " + option->get_name() +
                         " cannot be given with it; leave it out, or make another plan with "
                         "`hotpack plan`");
  return {};
}

int stopped(CommandContext& context, const pipeline::PackRun& run, const std::string& output) {
  std::string finished;
  if (!run.sets.empty()) {
    const pipeline::PackReport& last = run.sets.back();
    finished = "; " + std::to_string(last.kept_shards + last.packed_shards) + " of " +
               std::to_string(last.planned_shards) +
               (last.output.empty() ? std::string(" shards are delivered")
                                    : " shards are finished in " + quoted_text(last.output));
  }
  context.terminal().warning(
      "stopped" +
      (finished.empty() ? ", nothing is finished in " + quoted_text(output) : finished) +
      ". Run the same command again to continue");
  return kExitGood;  // run_main() raises the signal again
}

void warn_of_skipped(CommandContext& context, const PackCommand& command,
                     const pipeline::PackReport& set) {
  const std::string& list = command.arguments.options.run.skipped_file;
  const std::string them = set.skipped == 1 ? "it" : "them";
  const std::string file = list.empty() || set.split.empty() ? list : list + "." + set.split;
  context.terminal().warning(
      (set.split.empty() ? "" : set.split + ": ") +
      counted_text(set.skipped, "sample was", "samples were") + " left out of the data set" +
      acceptance_text(set.skipped, set.accepted) + "; " +
      (list.empty() ? "to list " + them + ", add --skipped FILE"
                    : quoted_text(file) + " lists " + them) +
      ". To pack " + them + " too, repair the " + (set.skipped == 1 ? "file" : "files") +
      (command.arguments.options.run.plan_file.empty()
           ? " and run the same command again with --force"
           : " and make the plan again; parts of the old plan stay good, and a part whose files "
             "have "
             "changed is packed again"));
}

int report_end(CommandContext& context, const PackCommand& command, const pipeline::PackRun& run,
               double seconds) {
  using pipeline::PackStatus;
  if (run.status == PackStatus::refused) return refuse(context, run, seconds);
  if (context.json() || run.status != PackStatus::stopped) context.print(pack_report(run, seconds));
  warn_of_sets(context, run.sets);
  if (run.status == PackStatus::stopped)
    return stopped(context, run, command.arguments.options.run.output);
  int exit = kExitGood;
  for (const pipeline::PackReport& set : run.sets) {
    if (set.skipped > 0) warn_of_skipped(context, command, set);
    if (skips_too_many(set.skipped, set.accepted)) exit = kExitData;
  }
  return exit;
}

int run_pack(CommandContext& context, PackCommand& command) {
  if (wants_preset_list(command.arguments)) {
    context.print(preset_list());
    return kExitGood;
  }
  if (Status status = check_planned_options(command); !status.ok())
    return context.fail(status.error());
  const auto start = std::chrono::steady_clock::now();
  command.arguments.options.run.threads = context.jobs();
  context.stop_on_signals();
  const Result<pipeline::PackRun> run =
      pipeline::pack(command.arguments.options, command.dry_run, context.terminal());
  context.terminal().finish_progress();
  if (!run.ok()) return context.fail(run.error());
  return report_end(
      context, command, *run,
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

void define_pack(CLI::App& sub, CommandContext& context) {
  auto command = std::make_shared<PackCommand>();
  set_examples(sub,
               "hotpack pack CamVid --size 512x512 -o packed   # detects and prints the layout, "
               "packs each split below packed\n"
               "hotpack pack --images train --labels train_labels --classes class_dict.csv --size "
               "512x512 -o packed/train\n"
               "hotpack pack --images photos --labels ids --size 512x512 --fit crop-or-pad -o "
               "packed/val   # labels hold class ids\n"
               "hotpack pack --image-folders flowers/train --size 224x224 --fit cover -o "
               "packed/flowers   # class = folder name\n"
               "hotpack pack --images photos --size 224x224 -o packed/photos   # no labels");
  add_sample_options(sub, command->arguments);
  for (const CLI::Option* option : sub.get_options())
    if (option != sub.get_help_ptr() && !option->check_name("--io-threads") &&
        !option->check_name("--max-memory"))
      command->planned.push_back(option);
  add_writing_options(sub, command->arguments);
  sub.add_flag("-n,--dry-run", command->dry_run, "print the plan and stop before writing")
      ->group("Running");
  context.add_jobs_option(sub);
  context.add_json_option(sub);
  context.add_config_option(sub);
  context.set_action(sub, [&context, command] { return run_pack(context, *command); });
}

}  // namespace

void add_pack_command(CLI::App& app, CommandContext& context) {
  context.add_command(app, "pack", "Packs images and labels into memory-mappable shards",
                      define_pack);
}

}  // namespace hotpack::cli
