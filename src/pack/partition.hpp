// Determines which part of the shards a run writes: from the value of --partition, or from the
// environment variables of a scheduler.
//
// Pure functions; thread-safe. Failure: code `usage` with the value found and the one expected.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hotpack/result.hpp"
#include "pack/schedulers.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// Parses the value of --partition: "I/N" with I from 0 to N−1, or "auto", which schedulers.hpp
// explains. Fails also if N differs from HOTPACK_PARTITIONS.
[[nodiscard]] Result<Partition> parse_partition(std::string_view text,
                                                const Environment& environment);

// The shards first … end − 1, which one partition writes. Together, the ranges of all partitions
// contain every shard once. The numbers of shards in the ranges differ by at most one; the larger
// ranges come first. If there are more partitions than shards, the last ranges are empty.
// Precondition: index < count.
struct ShardRange {
  std::uint64_t first = 0, end = 0;
};
[[nodiscard]] ShardRange shards_of(const Partition& partition, std::uint64_t shard_count);

// The index of the partition, of `partitions`, that writes a shard. Precondition: `shard` is less
// than `shard_count`; `partitions` is not 0.
[[nodiscard]] std::uint64_t partition_of(std::uint64_t shard, std::uint64_t shard_count,
                                         std::uint64_t partitions);

}  // namespace hotpack::pipeline
