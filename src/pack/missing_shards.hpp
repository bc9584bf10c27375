// The shards of a plan that are not there, and the partitions that write them.
//
// Memory is in proportion to the shards that are there, whatever number a file's name claims. Pure
// functions but for find_missing(), which lists folders; thread-safe. Failure: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pack/partition.hpp"

namespace hotpack::pipeline {

struct MissingShards {
  std::uint64_t shards = 0;        // of the plan
  std::vector<ShardRange> ranges;  // ascending, with gaps between them
  [[nodiscard]] bool empty() const { return ranges.empty(); }
  [[nodiscard]] std::uint64_t count() const;
  // As --array of schedulers takes numbers: "8-9,18-23".
  [[nodiscard]] std::string list() const;
  // For people: "8-9, 18-23, …".
  [[nodiscard]] std::string short_list() const;
  // The partitions that write them, as --array takes numbers, and how many these are. Precondition:
  // `partitions` is not 0.
  [[nodiscard]] std::string partition_list(std::uint64_t partitions) const;
  [[nodiscard]] std::uint64_t partition_count(std::uint64_t partitions) const;
  // For people: "24 of 80 shards are missing: 8-9, 18-23, …, the first is shard-…".
  [[nodiscard]] std::string text() const;
};

// The shards of a plan of `shards` shards that are not `present`. Precondition: `present` ascends.
[[nodiscard]] MissingShards missing_from(std::uint64_t shards,
                                         const std::vector<std::uint64_t>& present);

// Tells by the names of the files which shards are missing; nothing if no folder holds a shard. A
// folder that cannot be listed counts as empty. If the names are of several plans, no shard counts
// as missing: join_partitions() explains such folders.
[[nodiscard]] std::optional<MissingShards> find_missing(const std::vector<std::string>& folders);

}  // namespace hotpack::pipeline
