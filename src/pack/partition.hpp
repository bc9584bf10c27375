// Which part of the shards a run writes: from the option's text, or from what a scheduler says in the environment.
//
// Pure functions; thread-safe. Failure: code `usage` with what was found and what was expected.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "hotpack/result.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// The value of an environment variable, absent where it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;
[[nodiscard]] Environment process_environment();

// "I/N" with I from 0 to N−1, or "auto": what the environment says, by these variables (docs/cluster.md):
//   Slurm job array    SLURM_ARRAY_TASK_ID with _MIN, _MAX, _STEP, _COUNT
//   srun               SLURM_PROCID with SLURM_NTASKS above 1; a task of an array counts within its element
//   Kubernetes         JOB_COMPLETION_INDEX; the number of completions is in JOB_COMPLETIONS or HOTPACK_PARTITIONS
//   Open MPI           OMPI_COMM_WORLD_RANK with OMPI_COMM_WORLD_SIZE
//   torchrun           RANK with WORLD_SIZE
// One that counts a single process gives way to the others. Those that disagree are refused; so is a HOTPACK_PARTITIONS that is not the
// number found. A variable set to an empty text counts as not set.
[[nodiscard]] Result<Partition> parse_partition(std::string_view text, const Environment& environment);

// The shards [first, end) of `shard_count` that a partition writes: contiguous, all partitions together every shard once; sizes differ by
// one at most, the larger first. Empty where there are more partitions than shards. Precondition: index < count.
struct ShardRange {
  std::uint64_t first = 0, end = 0;
};
[[nodiscard]] ShardRange shards_of(const Partition& partition, std::uint64_t shard_count);

}  // namespace hotpack::pipeline
