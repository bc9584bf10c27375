// hotpack info: what is in a pack, from its manifest alone.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/pack_description.hpp"
#include "hotpack/dataset.hpp"

namespace hotpack::cli {

namespace {

int info(CommandContext& context, const std::string& folder) {
  const auto dataset = Dataset::open(folder);
  if (!dataset.ok()) return context.fail(dataset.error());
  if (context.json()) {
    context.output().line(pack_json(*dataset));
  } else {
    context.output().write(describe_pack(*dataset));
  }
  return kExitGood;
}

}  // namespace

void add_info_command(CLI::App& app, CommandContext& context) {
  auto folder = std::make_shared<std::string>();
  CLI::App& command =
      *app.add_subcommand("info", "Shows what is in a pack: samples, classes and their shares, shapes, mean and std, how it was made");
  set_examples(command,
               "hotpack info packed/train\n"
               "hotpack info packed/train --json | jq .statistics.weights.median");
  command.add_option("PACK", *folder, "a packed folder")->required();
  context.add_json_option(command);
  command.callback([&context, folder] { context.set_action([&context, folder] { return info(context, *folder); }); });
}

}  // namespace hotpack::cli
