// The shards of a plan that are not there, and the partitions that write them.
//
// Memory is in proportion to the shards that are there, whatever number a file's name claims. Pure
// functions but for find_missing(), which lists folders; thread-safe. Failure: none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
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
  // The partitions that write them, as --array takes numbers. Precondition: `partitions` is not 0.
  [[nodiscard]] std::string partition_list(std::uint64_t partitions) const;
  // For people: "24 of 80 shards are missing: 8-9, 18-23, …, the first is shard-…".
  [[nodiscard]] std::string text() const;
};

// Partitions, of which each writes its range of every split.
struct PartitionsToRun {
  std::uint64_t count = 0;
  std::string list;  // as --array takes numbers
};

// The partitions that write what the splits lack. Precondition: `partitions` is not 0.
[[nodiscard]] PartitionsToRun partitions_to_run(std::span<const MissingShards> splits,
                                                std::uint64_t partitions);
// What to do about them: "run partition 2 of 4 again: HOTPACK_PARTITIONS=4 and --array=2".
[[nodiscard]] std::string run_again_text(std::span<const MissingShards> splits,
                                         std::uint64_t partitions);

// The shards of a plan of `shards` shards that are not `present`. Precondition: `present` ascends.
[[nodiscard]] MissingShards missing_from(std::uint64_t shards,
                                         const std::vector<std::uint64_t>& present);

// Tells by the names of the files which shards are missing; nothing if no folder holds a shard. A
// folder that cannot be listed counts as empty. If the names are of several plans, no shard counts
// as missing: join_partitions() explains such folders.
[[nodiscard]] std::optional<MissingShards> find_missing(const std::vector<std::string>& folders);

}  // namespace hotpack::pipeline
