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

std::uint64_t partition_of(std::uint64_t shard, std::uint64_t shard_count,
                           std::uint64_t partitions) {
  const std::uint64_t each = shard_count / partitions, larger = shard_count % partitions;
  const std::uint64_t in_larger = larger * (each + 1);  // shards of the larger partitions
  return shard < in_larger ? shard / (each + 1) : larger + (shard - in_larger) / each;
}

}  // namespace hotpack::pipeline
