// Checks one shard by itself: the form of its header, its tables, its records, its sums.
//
// Pure but for the progress it tells; several shards may be audited at once. Failure: findings.
#pragma once

#include <cstdint>
#include <string>

#include "format/sums.hpp"
#include "reader/findings.hpp"
#include "reader/progress_meter.hpp"
#include "reader/shard_file.hpp"

namespace hotpack::reader {

struct AuditOptions {
  unsigned threads = 1;
  std::size_t max_findings = 1000;
};

// What the checks of the whole data set need to know about a shard.
struct ShardSummary {
  std::string name;
  std::uint64_t records = 0;
  format::Sums sums;                     // shard.sums as stored
  std::uint64_t content_bytes = 0;       // of all records, uncompressed
  std::uint64_t first_record_bytes = 0;  // of the first, 0 if there is none
  bool sound = false;                    // no findings
};

[[nodiscard]] ShardSummary audit_shard(const ShardFile& file, const std::string& name, const AuditOptions& options, ProgressMeter& progress,
                                       Findings& findings);

}  // namespace hotpack::reader
