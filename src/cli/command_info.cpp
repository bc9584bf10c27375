// hotpack info: what is in a pack, from its manifest alone.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/pack_description.hpp"
#include "cli/pack_faults.hpp"
#include "format/json.hpp"
#include "hotpack/dataset.hpp"
#include "label_setup/pack_folders.hpp"

namespace hotpack::cli {

namespace {

// One of several packs, or the only one.
class Informant {
 public:
  explicit Informant(CommandContext& context) : context_(context) {}

  void tell(const std::string& folder) {
    const auto dataset = Dataset::open(folder);
    if (!dataset.ok()) return tell_failure(folder, dataset.error());
    const std::vector<std::string> faults = missing_shards(*dataset);
    if (context_.json()) {
      objects_.push_back(pack_json(*dataset, faults));
    } else {
      context_.output().write((first_ ? "" : "\n") + describe_pack(*dataset));
    }
    first_ = false;
    for (const std::string& fault : faults) context_.terminal().error(fault);
    if (faults.empty()) return;
    context_.terminal().info(mending_text(folder));
    code_ = std::max(code_, kExitDamaged);
  }

  // The exit code: the worst.
  [[nodiscard]] int end(bool several) {
    if (!context_.json() || (!several && first_)) return code_;  // the frame writes the only error
    std::string list;
    for (const std::string& object : objects_) list += (list.empty() ? "" : ",") + object;
    context_.output().line(several ? "{\"packs\":[" + list + "]}" : list);
    return code_;
  }

 private:
  void tell_failure(const std::string& folder, const Error& error) {
    objects_.push_back(format::canonical_json(failure_json(folder, error)));
    code_ = std::max(code_, context_.fail(error));
  }

  CommandContext& context_;
  std::vector<std::string> objects_;
  bool first_ = true;
  int code_ = kExitGood;
};

int info(CommandContext& context, const std::vector<std::string>& paths) {
  const std::vector<std::string> folders = pipeline::packs_at(paths);
  Informant informant(context);
  for (const std::string& folder : folders) informant.tell(folder);
  return informant.end(folders.size() > 1);
}

}  // namespace

void add_info_command(CLI::App& app, CommandContext& context) {
  auto paths = std::make_shared<std::vector<std::string>>();
  CLI::App& command =
      *app.add_subcommand("info", "Shows what is in a pack: samples, classes and their shares, shapes, mean and std, how it was made");
  set_examples(command,
               "hotpack info packed/train\n"
               "hotpack info packed          # every split below it\n"
               "hotpack info packed/train --json | jq .statistics.weights.median");
  command.add_option("PACK", *paths, "packs, or the parent folder of splits")->required();
  context.add_json_option(command);
  command.callback([&context, paths] { context.set_action([&context, paths] { return info(context, *paths); }); });
}

}  // namespace hotpack::cli
