// `merge`: joins the partitions of one plan, packed by several runs, into a data set.
//
// The result is byte for byte what a single run would have written. If a merge was killed, the same
// merge continues it; if it was finished, the same merge does nothing. Failure: the errors of
// join_partitions() (partition_set.hpp); `usage` for an output folder that hotpack did not make or
// that holds another pack; `io`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"
#include "hotpack/statistics.hpp"
#include "pack/partition_set.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

struct MergeOptions {
  std::vector<std::string> sources;  // folders of shards; they stay unchanged
  std::string output;                // empty: the only source becomes the data set itself
  int threads = 1;                   // that read, link and flush shards
  std::optional<std::uint64_t> partitions = {};  // how many the pack has, if known: for messages
  std::optional<AcceptedSkips> accepted_skips = {};
};

enum class MergeStatus {
  merged,    // the data set is complete now
  complete,  // it was already complete; nothing was done
  stopped,   // a signal stopped the run; the same command continues it
};

struct MergeReport {
  MergeStatus status = MergeStatus::merged;
  std::string output;  // the data set's folder
  std::uint64_t records = 0;
  std::uint64_t skipped = 0;              // samples that the partitions skipped
  std::optional<std::uint64_t> accepted;  // with --accept-skips: the most that may be skipped
  std::uint64_t shards = 0;
  std::uint64_t kept = 0;      // shards that were already in the output folder
  std::uint64_t linked = 0;    // hard links to shards of the sources
  std::uint64_t copied = 0;    // shards copied because the file system has no hard links
  std::uint64_t replaced = 0;  // linked or copied shards that replaced a damaged or older file
  std::uint64_t repeated = 0;  // equal shard files that a later source has again
  std::uint64_t bytes = 0;     // size of all shard files
  bool manifest_only = false;  // made from receipts: the shards may be elsewhere
  Schema schema;
  Statistics statistics;
};

// If shards must be packed (again), stores them in `missing`, unless it is null.
[[nodiscard]] Result<MergeReport> merge(const MergeOptions& options, Observer& observer,
                                        MissingShards* missing = nullptr);

}  // namespace hotpack::pipeline
