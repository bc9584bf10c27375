// Where the splits of a run go: each into its own folder inside -o.
//
// Functions without state; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "hotpack/result.hpp"
#include "pack/output_folder.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// Refuses, with `usage`, an output folder for these splits that is a data set itself. Also refuses
// one that holds packs of other splits, whose samples may be in the splits of this run: --force
// allows it, if hotpack made their files. Does nothing for a run without splits.
[[nodiscard]] Status check_folder_of_sets(const RunOptions& run,
                                          const std::vector<std::string>& splits);

// With --force: removes the packs of other splits from the output folder. Failure: `io`, and as for
// read_output_folder().
[[nodiscard]] Status remove_other_splits(const RunOptions& run,
                                         const std::vector<std::string>& splits,
                                         Observer& observer);

// Returns the run options of a split: it has its own folders and its own list of skipped samples.
[[nodiscard]] RunOptions run_of_split(RunOptions run, const std::string& split);

// Returns which shards in the output folder are opened before the plan tells which shards a
// partition writes: for a partition one, which shows most mistakes at once.
[[nodiscard]] OriginRules rules_before_plan(const RunOptions& run);

// Makes the output folder of a partition, also if no shard is in the partition. A merge of folders
// that some partitions did not make could not tell them from mistyped names. Failure: `io`.
[[nodiscard]] Status make_output_folder(const RunOptions& run);

}  // namespace hotpack::pipeline
