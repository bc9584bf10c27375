#include "cli/unfinished_pack.hpp"

#include <cstddef>
#include <vector>

#include "base/folder.hpp"
#include "format/pack_folder.hpp"
#include "pack/partition.hpp"

namespace hotpack::cli {

namespace {

constexpr std::size_t kLongest = 160;  // of a list for people; the list of partitions is for sbatch

// Returns the numbers of the shards that the folder lacks, and the number of all. Nothing if its
// shards are of several packs, or if there are none.
struct Missing {
  std::vector<std::uint64_t> shards;
  std::uint64_t all = 0;
};
Missing missing_in(const std::string& folder) {
  Missing missing;
  const auto names = names_in_folder(folder);
  if (!names.ok()) return missing;
  const std::vector<format::ShardName> there = format::describe_pack_folder(*names).shards;
  if (there.empty() || there.front().count != there.back().count) return missing;
  missing.all = there.front().count;
  std::size_t next = 0;
  for (std::uint64_t shard = 0; shard < missing.all; ++shard) {
    if (next < there.size() && there[next].index == shard) {
      ++next;
    } else {
      missing.shards.push_back(shard);
    }
  }
  return missing;
}

std::string shortened(std::string list) {
  if (list.size() <= kLongest) return list;
  list.resize(list.rfind(',', kLongest));
  return list + ",…";
}

}  // namespace

std::string missing_partitions_text(const std::string& folder,
                                    std::optional<std::uint64_t> partitions) {
  const Missing missing = missing_in(folder);
  if (missing.shards.empty()) return "";
  const std::string text =
      "Missing shards: " + shortened(pipeline::array_list(missing.shards)) + ". ";
  if (!partitions)
    return text + "To see the partitions that write them, give the number of all: --partitions N";
  const auto parts = pipeline::parts_of(missing.shards, missing.all, *partitions);
  const std::string list = pipeline::array_list(parts), all = std::to_string(*partitions);
  const std::string which =
      parts.size() == 1 ? "partition " + list : std::to_string(parts.size()) + " partitions";
  return text + "To pack them, run " + which + " of " + all + " again: HOTPACK_PARTITIONS=" + all +
         " and --array=" + list;
}

}  // namespace hotpack::cli
