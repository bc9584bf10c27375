// The result of packing as plain values, for text and JSON reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hotpack/schema.hpp"
#include "hotpack/statistics.hpp"
#include "pack/sample_worker.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// The figures of a plan that users need.
struct PlanSummary {
  std::uint64_t samples = 0;
  std::uint64_t shards = 0;
  std::uint64_t kept_shards = 0;        // already there and undamaged
  std::uint64_t samples_per_shard = 0;  // in every shard except the last
  std::uint64_t image_record_bytes = 0;
  std::uint64_t label_record_bytes = 0;
  std::uint64_t shard_bytes_total = 0;  // size of all shard files; an upper bound unless exact
  std::uint64_t bytes_to_write = 0;     // kept shards excluded
  bool mixed_sizes = false;             // if true, record bytes are those of the largest record
  bool exact = true;
  std::optional<std::uint64_t> free_bytes;  // on the output's file system
  std::uint64_t plan_bytes = 0;             // memory that the plan takes
  std::string explanation;                  // how labels are read, and why
  std::vector<std::string> warnings;
};

enum class PackStatus {
  packed,    // the data set is complete now
  complete,  // it was already complete; nothing was done
  planned,   // --dry-run
  refused,   // the inputs are refused; see problems
  stopped,   // a signal stopped the run; the same command continues it
};

struct PackReport {
  std::string split;                   // name of the split; empty without splits
  std::string output;                  // folder of the split
  std::optional<Partition> partition;  // if set, all figures concern only its shards
  PackStatus status = PackStatus::packed;
  PlanSummary plan;
  ProblemLog problems;                    // skipped samples
  std::uint64_t skipped = 0;              // samples that this run and earlier ones left out
  std::optional<std::uint64_t> accepted;  // with --accept-skips: the most that may be skipped
  std::uint64_t planned_shards = 0;       // shards that this run is responsible for
  std::uint64_t packed_shards = 0;        // shards written by this run
  std::uint64_t kept_shards = 0;
  std::uint64_t changed_shards =
      0;  // existing shards packed again because inputs changed or the file was damaged
  std::uint64_t records = 0;
  std::uint64_t bytes_in = 0;   // bytes of input files read by this run
  std::uint64_t bytes_out = 0;  // size of all shard files
  DiagnosticCounts diagnostics;
  std::optional<Schema> schema;
  std::optional<Statistics> statistics;
};

// The result of a run with all its splits.
struct PackRun {
  PackStatus status = PackStatus::packed;  // refused: nothing was packed; stopped: `sets` has only
                                           // those that were started
  std::string layout;                      // the detected layout; see discovery.hpp
  ProblemLog problems;                     // why the inputs were refused
  std::uint64_t orphans_left_out = 0;
  std::uint64_t other_files = 0;      // files in the input folders without an image extension
  std::uint64_t excluded = 0;         // files and folders that --exclude left out
  std::string plan_file;              // of `plan`: the file that it wrote
  std::uint64_t plan_file_bytes = 0;  // its size
  std::string receipt;                // the file of --receipt; empty without one
  std::vector<PackReport> sets;
};

}  // namespace hotpack::pipeline
