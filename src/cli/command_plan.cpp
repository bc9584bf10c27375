// hotpack plan: decides everything that a pack needs to know, once, for many machines.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/pack_arguments.hpp"
#include "cli/pack_messages.hpp"
#include "cli/pack_report.hpp"
#include "pack/pack.hpp"
#include "pack/schedulers.hpp"

namespace hotpack::cli {

namespace {

struct PlanCommand {
  PackArguments arguments;
  std::string output;
};

// If the environment says how many partitions will pack the plan: warns if they are more than its
// shards.
void warn_of_idle_partitions(Terminal& terminal, const pipeline::PackRun& run) {
  const auto partitions = pipeline::expected_partitions(pipeline::process_environment());
  if (!partitions.ok() || !*partitions || run.sets.empty()) return;
  std::uint64_t shards = 0;
  for (const pipeline::PackReport& set : run.sets) shards = std::max(shards, set.plan.shards);
  if (**partitions <= shards) return;
  terminal.warning("HOTPACK_PARTITIONS is " + std::to_string(**partitions) +
                   ", but the plan has only " + counted_text(shards, "shard") +
                   ": some partitions will write nothing. For more shards, give --shard-samples or "
                   "a smaller --shard-size");
}

int run_plan(CommandContext& context, PlanCommand& command) {
  if (wants_preset_list(command.arguments)) {
    context.print(preset_list());
    return kExitGood;
  }
  const auto start = std::chrono::steady_clock::now();
  command.arguments.options.run.threads = context.jobs();
  context.stop_on_signals();
  const Result<pipeline::PackRun> run =
      pipeline::plan(command.arguments.options, command.output, context.terminal());
  context.terminal().finish_progress();
  if (!run.ok()) return context.fail(run.error());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (run->status == pipeline::PackStatus::refused) return refuse(context, *run, seconds);
  if (context.json() || run->status != pipeline::PackStatus::stopped)
    context.print(pack_report(*run, seconds));
  warn_of_sets(context, run->sets);
  warn_of_idle_partitions(context.terminal(), *run);
  if (run->status == pipeline::PackStatus::stopped)
    context.terminal().warning("stopped, no plan is written. Run the same command again");
  return kExitGood;  // if it was stopped, run_main() raises the signal again
}

void define_plan(CLI::App& sub, CommandContext& context) {
  auto command = std::make_shared<PlanCommand>();
  set_examples(
      sub,
      "hotpack plan --images train --labels masks --classes class_dict.csv --size 512x512 "
      "-o train.plan\n"
      "hotpack pack --plan train.plan --partition 0/4 -o packed/train   # the first of four "
      "parts\n"
      "hotpack merge packed/train   # when all parts are packed");
  add_sample_options(sub, command->arguments);
  add_planning_options(sub, command->arguments, command->output);
  context.add_jobs_option(sub);
  context.add_json_option(sub);
  context.add_config_option(sub);
  context.set_action(sub, [&context, command] { return run_plan(context, *command); });
}

}  // namespace

void add_plan_command(CLI::App& app, CommandContext& context) {
  context.add_command(
      app, "plan", "Writes a plan, from which many machines pack parts (pack --plan)", define_plan);
}

}  // namespace hotpack::cli
