// Finds the partition that a scheduler assigns to this process, from the variables that it sets:
// the value `auto` of --partition.
//
// Pure functions; thread-safe. Failure: code `usage` with the variable found and what to do.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "hotpack/result.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// Returns the value of an environment variable, or nothing if it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;
[[nodiscard]] Environment process_environment();

// "I/N"; nothing if the text is not a partition.
[[nodiscard]] std::optional<Partition> parse_index_of_count(std::string_view text);

// The number of all partitions, from HOTPACK_PARTITIONS; nothing if it is not set.
[[nodiscard]] Result<std::optional<std::uint64_t>> expected_partitions(
    const Environment& environment);

// The partition of this process. HOTPACK_PARTITION (I/N) wins over all others. In a job array:
//   - without HOTPACK_PARTITIONS, the array must be complete: its ids count from 0 or 1, without
//     gaps, and the position in the array is the partition
//   - with HOTPACK_PARTITIONS=N, an evenly spaced array of N elements counts in the same way;
//     in every other array, which may have gaps, the id itself is the partition
// Schedulers that mean a single process give way to those that mean several. Fails if the others
// disagree, or if HOTPACK_PARTITIONS differs from the number found. An empty variable counts as not
// set.
[[nodiscard]] Result<Partition> scheduled_partition(const Environment& environment);

}  // namespace hotpack::pipeline
