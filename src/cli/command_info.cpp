// hotpack info: shows the contents of a pack. It reads only the manifest.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/pack_description.hpp"
#include "cli/pack_faults.hpp"
#include "hotpack/dataset.hpp"
#include "label_setup/pack_folders.hpp"

namespace hotpack::cli {

namespace {

// Adds the report of a pack, and returns its exit code.
int describe(CommandContext& context, const std::string& folder, bool several,
             std::vector<Report>& reports) {
  const auto dataset = Dataset::open(folder);
  if (!dataset.ok()) {
    // For a single pack, finish() writes the error.
    if (several) reports.push_back(failed_pack(folder, dataset.error()));
    return context.fail(dataset.error());
  }
  const std::vector<std::string> faults = missing_shards(*dataset);
  reports.push_back(pack_description(*dataset, faults, context.output().columns()));
  for (const std::string& fault : faults) context.terminal().error(fault);
  if (faults.empty()) return kExitGood;
  context.terminal().info(repair_text(folder));
  return kExitDamaged;
}

int info(CommandContext& context, const std::vector<std::string>& paths) {
  const std::vector<std::string> folders = pipeline::packs_at(paths);
  std::vector<Report> reports;
  int code = kExitGood;  // the worst of all packs
  for (const std::string& folder : folders)
    code = std::max(code, describe(context, folder, folders.size() > 1, reports));
  context.print_packs(reports, folders.size() > 1, "\n");
  return code;
}

}  // namespace

void add_info_command(CLI::App& app, CommandContext& context) {
  auto paths = std::make_shared<std::vector<std::string>>();
  CLI::App& command = *app.add_subcommand(
      "info",
      "Shows the samples, classes and their shares, shapes, mean, std and options of a pack");
  set_examples(command,
               "hotpack info packed/train\n"
               "hotpack info packed          # every split below it\n"
               "hotpack info packed/train --json | jq .statistics.weights.median");
  command.add_option("PACK", *paths, "packs, or the parent folder of splits")->required();
  context.add_json_option(command);
  context.set_action(command, [&context, paths] { return info(context, *paths); });
}

}  // namespace hotpack::cli
