#include "cli/unfinished_pack.hpp"

#include <vector>

#include "base/text.hpp"
#include "label_setup/pack_folders.hpp"
#include "pack/missing_shards.hpp"
#include "pack/partition_set.hpp"

namespace hotpack::cli {

namespace {

struct Lack {
  std::string where;  // "'val': "; empty for the folder itself
  pipeline::MissingShards missing;
};

// What the folder lacks, or each of its splits.
std::vector<Lack> lacks_of(const std::string& folder) {
  std::vector<Lack> lacks;
  const auto add = [&](const std::string& where, const std::string& path) {
    auto missing = pipeline::find_missing({path});
    if (missing && !missing->empty()) lacks.push_back({where, *std::move(missing)});
  };
  const std::vector<std::string> names = pipeline::folders_with_shards(folder);
  if (names.empty()) add("", folder);
  if (names.empty() || !pipeline::are_splits(folder, names)) return lacks;
  for (const std::string& name : names) add(quoted_text(name) + ": ", folder + "/" + name);
  return lacks;
}

}  // namespace

std::string missing_partitions_text(const std::string& folder,
                                    std::optional<std::uint64_t> partitions) {
  const std::vector<Lack> lacks = lacks_of(folder);
  if (lacks.empty()) return "";
  std::vector<std::string> lists;
  std::vector<pipeline::MissingShards> missing;
  for (const Lack& lack : lacks) {
    lists.push_back(lack.where + lack.missing.short_list());
    missing.push_back(lack.missing);
  }
  const std::string text = "Missing shards: " + joined_text(lists, "; ") + ". ";
  if (!partitions)
    return text + "To see the partitions that write them, give the number of all: --partitions N";
  const bool one = missing.size() == 1 && missing.front().count() == 1;
  return text + "To pack " + (one ? "it" : "them") + ", " +
         pipeline::run_again_text(missing, *partitions);
}

}  // namespace hotpack::cli
