#include "pack/partition.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::pipeline {

Result<Partition> parse_partition(std::string_view text, const Environment& environment) {
  if (text == "auto") return scheduled_partition(environment);
  const std::optional<Partition> partition = parse_index_of_count(text);
  if (!partition)
    return usage_error(
        "'" + std::string(text) +
        "': expected auto, or I/N with 0 ≤ I < N, such as 0/4 for the first of four");
  HOTPACK_ASSIGN(const std::optional<std::uint64_t> expected, expected_partitions(environment));
  if (expected && *expected != partition->count)
    return usage_error("'" + std::string(text) + "' is one of " + std::to_string(partition->count) +
                       " partitions, but HOTPACK_PARTITIONS is " + std::to_string(*expected) +
                       ": all partitions of a pack need the same number; correct one of the two, "
                       "or unset HOTPACK_PARTITIONS");
  return *partition;
}

ShardRange shards_of(const Partition& partition, std::uint64_t shard_count) {
  const std::uint64_t each = shard_count / partition.count, larger = shard_count % partition.count;
  const auto first = [&](std::uint64_t index) { return index * each + std::min(index, larger); };
  return {first(partition.index), first(partition.index + 1)};
}

std::vector<std::uint64_t> parts_of(const std::vector<std::uint64_t>& shards,
                                    std::uint64_t shard_count, std::uint64_t part_count) {
  const std::uint64_t each = shard_count / part_count, larger = shard_count % part_count;
  const std::uint64_t in_larger = larger * (each + 1);  // shards of the larger parts
  std::vector<std::uint64_t> parts;
  for (const std::uint64_t shard : shards) {
    const std::uint64_t part =
        shard < in_larger ? shard / (each + 1) : larger + (shard - in_larger) / each;
    if (parts.empty() || parts.back() != part) parts.push_back(part);
  }
  return parts;
}

std::string array_list(const std::vector<std::uint64_t>& parts) {
  std::string text;
  for (std::size_t first = 0, next = 0; first < parts.size(); first = next) {
    for (next = first + 1; next < parts.size() && parts[next] == parts[next - 1] + 1;) ++next;
    text += (text.empty() ? "" : ",") + std::to_string(parts[first]);
    if (next > first + 1) text += "-" + std::to_string(parts[next - 1]);
  }
  return text;
}

}  // namespace hotpack::pipeline
