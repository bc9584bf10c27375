#include "pack/set_folders.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "format/manifest.hpp"

namespace hotpack::pipeline {

Status check_folder_of_sets(const std::string& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder + "/" + std::string(format::kManifestName), ignored))
    return {};
  return usage_error(folder +
                     ": is a packed data set. This input makes several data sets, each in its own "
                     "folder inside -o. Choose another folder for -o");
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
