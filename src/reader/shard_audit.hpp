// Checks one shard on its own: header, tables, records and sums.
//
// Several shards may be audited at once; each call reports progress. Failure: none; problems become
// findings.
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
  std::uint64_t content_bytes = 0;       // uncompressed size of all records
  std::uint64_t first_record_bytes = 0;  // of the first record, 0 without records
  bool ok = false;                       // without findings
};

// `opened` is the file that `file` was read from.
[[nodiscard]] ShardSummary audit_shard(const ShardFile& file, const File& opened,
                                       const std::string& name, const AuditOptions& options,
                                       ProgressMeter& progress, Findings& findings);

}  // namespace hotpack::reader
