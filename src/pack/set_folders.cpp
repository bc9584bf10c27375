#include "pack/set_folders.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "format/manifest.hpp"
#include "label_setup/pack_folders.hpp"
#include "pack/output_lock.hpp"
#include "writer/atomic_file.hpp"

namespace hotpack::pipeline {

namespace {

// The names of the packs in the output folder that are no splits of this run.
std::vector<std::string> other_splits(const RunOptions& run,
                                      const std::vector<std::string>& splits) {
  if (run.output.empty() || splits.front().empty()) return {};
  std::vector<std::string> others = folders_with_shards(run.output);
  std::erase_if(others, [&](const std::string& name) {
    return std::find(splits.begin(), splits.end(), name) != splits.end();
  });
  return others;
}

}  // namespace

Status check_folder_of_sets(const RunOptions& run, const std::vector<std::string>& splits) {
  if (run.output.empty() || splits.front().empty()) return {};
  std::error_code ignored;
  if (std::filesystem::exists(run.output + "/" + std::string(format::kManifestName), ignored))
    return usage_error(run.output +
                       ": is a packed data set. This input makes several data sets, each in its "
                       "own folder inside -o. Choose another folder for -o");
  const std::vector<std::string> others = other_splits(run, splits);
  for (const std::string& name : others)
    if (run.force) HOTPACK_TRY(read_output_folder(run.output + "/" + name));
  if (others.empty() || run.force) return {};
  return usage_error(run.output + ": also holds packs that are no splits of this run (" +
                     quoted_list_text(others, 5) +
                     "). They would belong to the same data set, and their samples may be in the "
                     "new splits. Choose another folder for -o, or remove these packs with "
                     "--force, which packs everything again");
}

Status remove_other_splits(const RunOptions& run, const std::vector<std::string>& splits,
                           Observer& observer) {
  if (!run.force) return {};
  for (const std::string& name : other_splits(run, splits)) {
    const std::string path = run.output + "/" + name;
    // The lock removes the folder at the end, if it is empty.
    HOTPACK_ASSIGN(const std::optional<OutputLock> lock,
                   OutputLock::take(path, OutputLock::Sharing::none, observer, {path}));
    if (!lock) return {};
    observer.message(Level::info, path + ": is no split of this run and is removed (--force)");
    HOTPACK_ASSIGN(const OutputFolder folder, read_output_folder(path));
    HOTPACK_TRY(writer::remove_stale_temporaries(path, [](std::string_view) { return true; }));
    std::vector<std::string> files{std::string(format::kManifestName)};
    files.insert(files.end(), folder.shards.begin(), folder.shards.end());
    for (const std::string& file : files) {
      std::error_code failure;
      std::filesystem::remove(path + "/" + file, failure);
      if (failure) return io_error("cannot remove a pack of another split", path, failure.value());
    }
  }
  return {};
}

RunOptions run_of_split(RunOptions run, const std::string& split) {
  if (split.empty()) return run;
  if (!run.output.empty()) run.output += "/" + split;
  if (!run.skipped_file.empty()) run.skipped_file += "." + split;
  return run;
}

OriginRules rules_before_plan(const RunOptions& run) {
  OriginRules rules{run.repair, {}, nullptr};
  if (run.partition)
    rules.may_change = [first = true](const format::ShardName&) mutable {
      return std::exchange(first, false);
    };
  return rules;
}

Status make_output_folder(const RunOptions& run) {
  if (!run.partition || run.output.empty()) return {};
  std::error_code failure;
  std::filesystem::create_directories(run.output, failure);
  if (failure) return io_error("cannot create the output folder", run.output, failure.value());
  return {};
}

}  // namespace hotpack::pipeline
