// What came of packing a data set, as values for whoever tells people or programs about it.
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
  bool mixed_sizes = false;             // then the record's bytes are the largest record's
  bool exact = true;
  std::optional<std::uint64_t> free_bytes;  // of the output's file system
  std::uint64_t plan_bytes = 0;             // memory of the plan
  std::string explanation;                  // how labels are read and why
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
  std::string split;                   // name of the set, empty where there is only one
  std::string output;                  // its folder
  std::optional<Partition> partition;  // then everything below is about its shards
  PackStatus status = PackStatus::packed;
  PlanSummary plan;
  ProblemLog problems;               // skipped samples
  std::uint64_t skipped = 0;         // in the data set, of this and earlier runs
  std::uint64_t planned_shards = 0;  // those that this run had to see to
  std::uint64_t packed_shards = 0;   // written by this run
  std::uint64_t kept_shards = 0;
  std::uint64_t changed_shards = 0;  // there before, packed again because inputs changed or the file was damaged
  std::uint64_t records = 0;
  std::uint64_t bytes_in = 0;   // of input files read by this run
  std::uint64_t bytes_out = 0;  // of all shard files
  Remarks remarks;
  std::optional<Schema> schema;
  std::optional<Statistics> statistics;
};

// A whole run: one set, or one per split.
struct PackRun {
  PackStatus status = PackStatus::packed;  // refused: nothing was packed; stopped: the sets that were begun are in `sets`
  std::string layout;                      // what was detected; see discovery.hpp
  ProblemLog problems;                     // why it was refused
  std::uint64_t orphans_left_out = 0;
  std::uint64_t other_files = 0;  // in the input folders, of no image extension
  std::vector<PackReport> sets;
};

}  // namespace hotpack::pipeline
