// hotpack info: shows the contents of a pack, of which it reads only the manifest, or of a plan.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/option_values.hpp"
#include "cli/pack_description.hpp"
#include "cli/pack_faults.hpp"
#include "cli/plan_description.hpp"
#include "cli/unfinished_pack.hpp"
#include "hotpack/dataset.hpp"
#include "label_setup/pack_folders.hpp"
#include "pack/plan_file.hpp"
#include "pack/schedulers.hpp"

namespace hotpack::cli {

namespace {

struct InfoOptions {
  std::vector<std::string> paths;
  std::optional<std::uint64_t> partitions;  // of all packs, for one that is unfinished
};

// Adds a report for each data set of a plan, and returns the exit code.
int describe_plan(CommandContext& context, const std::string& path, const InfoOptions& options,
                  bool several, std::vector<Report>& reports) {
  Result<std::vector<Report>> sets = plan_description(path, options.partitions);
  if (sets.ok()) {
    for (Report& set : *sets) reports.push_back(std::move(set));
    return kExitGood;
  }
  if (several) reports.push_back(failed_pack(path, sets.error()));
  return context.fail(sets.error());
}

// Returns what Dataset::open() says of an unfinished pack, without what it says to do.
std::string without_advice(const std::string& message) {
  return message.substr(
      0, std::min(message.find(". To finish"), message.find(", which `hotpack pack` writes last")));
}

// Adds the report of a pack, and returns its exit code.
int describe(CommandContext& context, const std::string& folder, const InfoOptions& options,
             bool several, std::vector<Report>& reports) {
  if (pipeline::is_plan_file(folder))
    return describe_plan(context, folder, options, several, reports);
  const auto dataset = Dataset::open(folder);
  if (!dataset.ok()) {
    Error error = dataset.error();
    if (const std::string text = missing_partitions_text(folder, options.partitions); !text.empty())
      error.message = without_advice(error.message) + ". " + text;
    // For a single pack, finish() writes the error.
    if (several) reports.push_back(failed_pack(folder, error));
    return context.fail(error);
  }
  const std::vector<std::string> faults = missing_shards(*dataset);
  reports.push_back(pack_description(*dataset, faults, context.output().columns()));
  for (const std::string& fault : faults) context.terminal().error(fault);
  if (faults.empty()) return kExitGood;
  context.terminal().info(repair_text(folder));
  return kExitDamaged;
}

int info(CommandContext& context, InfoOptions& options) {
  if (!options.partitions) {
    const auto expected = pipeline::expected_partitions(pipeline::process_environment());
    if (!expected.ok()) return context.fail(expected.error());
    options.partitions = *expected;
  }
  const std::vector<std::string> folders = pipeline::packs_at(options.paths);
  std::vector<Report> reports;
  int code = kExitGood;  // the worst of all packs
  for (const std::string& folder : folders)
    code = std::max(code, describe(context, folder, options, folders.size() > 1, reports));
  context.print_packs(reports, folders.size() > 1 || reports.size() > 1, "\n");
  return code;
}

void define_info(CLI::App& command, CommandContext& context) {
  auto options = std::make_shared<InfoOptions>();
  set_examples(command,
               "hotpack info packed/train\n"
               "hotpack info packed          # every split below it\n"
               "hotpack info packed/train --json | jq .statistics.weights.median\n"
               "hotpack info train.plan --partitions 40   # what each of 40 parts packs");
  command
      .add_option("PACK", options->paths,
                  "packs, or the parent folder of splits, or plans (hotpack plan)")
      ->required();
  add_value(command, "--partitions", options->partitions,
            "number of all partitions of an unfinished pack: lists those to run again, as --array "
            "of schedulers takes them; of a plan: shows their sizes [default: HOTPACK_PARTITIONS]",
            "N", "Output")
      ->check(CLI::Range(1, 1'000'000'000));
  context.add_json_option(command);
  context.set_action(command, [&context, options] { return info(context, *options); });
}

}  // namespace

void add_info_command(CLI::App& app, CommandContext& context) {
  context.add_command(
      app, "info",
      "Shows samples, classes and their shares, shapes, mean, std and options of a pack or plan",
      define_info);
}

}  // namespace hotpack::cli
