// `pack` and `check`: from options to a finished data set, or to a report of everything that is wrong.
//
// One call a run; the caller limits threads (tbb::global_control is set inside from RunOptions::threads). Errors come back as Error;
// refused data as a PackReport with problems. Nothing half-written is left, whatever happens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/manifest.hpp"
#include "hotpack/result.hpp"
#include "hotpack/statistics.hpp"
#include "pipeline/observer.hpp"
#include "pipeline/options.hpp"
#include "pipeline/plan.hpp"
#include "pipeline/problem.hpp"
#include "pipeline/sample_worker.hpp"

namespace hotpack::pipeline {

// The plan as people want to see it.
struct PlanSummary {
  std::uint64_t samples = 0;
  std::uint64_t shards = 0;
  std::uint64_t kept_shards = 0;      // already there and good
  std::uint64_t samples_a_shard = 0;  // of all but the last
  std::uint64_t image_record_bytes = 0;
  std::uint64_t label_record_bytes = 0;
  std::uint64_t shard_bytes_total = 0;  // of all shard files; with --zstd an upper bound
  std::uint64_t bytes_to_write = 0;     // without shards that are kept
  bool exact = true;
  std::optional<std::uint64_t> free_bytes;  // of the output's file system
  std::uint64_t plan_bytes = 0;             // memory of the plan
  std::uint64_t orphans_left_out = 0;
  std::uint64_t other_files = 0;  // in the input folders, of no picture's extension
  std::string verdict;            // how labels are read and why
  std::vector<std::string> warnings;
};

enum class PackStatus {
  packed,    // the data set is whole now
  complete,  // it was whole already; nothing was done
  planned,   // --dry-run
  refused,   // input data are refused; see problems
  stopped,   // a signal stopped the run; the same command continues it
};

struct PackReport {
  PackStatus status = PackStatus::packed;
  PlanSummary plan;
  ProblemLog problems;              // refused or skipped samples
  std::uint64_t skipped = 0;        // in the data set, of this and earlier runs
  std::uint64_t packed_shards = 0;  // written by this run
  std::uint64_t kept_shards = 0;
  std::uint64_t changed_shards = 0;  // there before, packed again because inputs changed or the file was damaged
  std::uint64_t records = 0;
  std::uint64_t bytes_in = 0;   // of input files read by this run
  std::uint64_t bytes_out = 0;  // of all shard files
  Remarks remarks;
  std::optional<Schema> schema;
  std::optional<Statistics> statistics;
};

// With `dry_run` nothing is written.
[[nodiscard]] Result<PackReport> pack(const PackOptions& options, bool dry_run, Observer& observer);

// Everything pack does except writing; never stops at a bad sample. status: `planned` when pack would succeed, else `refused` or `stopped`.
[[nodiscard]] Result<PackReport> check(const PackOptions& options, Observer& observer);

}  // namespace hotpack::pipeline
