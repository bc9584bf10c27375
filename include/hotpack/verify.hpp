// Checks a packed data set against every rule of FORMAT.md and every checksum. Continues after the
// first problem.
//
// Ownership: plain values. Thread-safety: several threads may check different folders at once; one
// call runs `progress` on one thread at a time. Failure: a Result has an error only if there is
// nothing to check (`io`: the path is missing or unreadable). Everything wrong with the files is a
// finding. Memory: the keys of all samples, and one record per thread if records are compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack {

/// One thing that is wrong with a file.
struct VerifyFinding {
  std::string file;                     ///< name within the folder
  std::optional<std::uint64_t> record;  ///< index in that shard
  std::string key;                      ///< the record's key, if it can be read
  std::optional<std::uint64_t> offset;  ///< byte in that file
  std::string text;                     ///< what was found and what was expected
  ErrorCode code = ErrorCode::damaged;  ///< io if the file could not be read
  /// "file: record 3 (key), at byte 4096: text", the parts that exist.
  [[nodiscard]] std::string describe() const;
};

struct VerifyProgress {
  std::uint64_t shards_done = 0;
  std::uint64_t shards_total = 0;
  std::uint64_t records_done = 0;
  std::uint64_t records_total = 0;  ///< from the manifest; 0 without one
  std::uint64_t bytes_done = 0;     ///< uncompressed size of the records that were checked
  std::uint64_t findings = 0;
};

struct VerifyOptions {
  /// 0: one per core that this process may use. The report does not depend on it
  unsigned threads = 0;
  std::size_t max_findings = 1000;  ///< how many the report keeps, at least 1; it counts all
  /// Called every few records; returning false stops the run. Default: none.
  std::function<bool(const VerifyProgress&)> progress;
};

struct VerifyReport {
  std::vector<VerifyFinding> findings;  ///< in the order of files and records, at most max_findings
  std::uint64_t finding_count = 0;      ///< all findings, including those that were not kept
  /// names of all files with a finding other than `io`, sorted, whether or not it was kept
  std::vector<std::string> damaged_files;
  /// foreign and temporary files, and what could not be checked; not damage
  std::vector<std::string> notes;
  std::uint64_t shards = 0;  ///< how many were checked
  std::uint64_t records = 0;
  std::uint64_t size_bytes = 0;  ///< total size of the shard files
  bool aligned = true;           ///< every shard is aligned, see Shard::aligned()
  bool stopped = false;          ///< progress returned false; the rest was not checked
  /// True if everything was checked and nothing is wrong.
  [[nodiscard]] bool ok() const { return finding_count == 0 && !stopped; }
};

/// Checks a folder: its manifest, its shards, and that they agree.
[[nodiscard]] Result<VerifyReport> verify_dataset(const std::string& folder,
                                                  const VerifyOptions& options = {});
/// Checks one shard by itself, for example a shard of a partition.
[[nodiscard]] Result<VerifyReport> verify_shard(const std::string& path,
                                                const VerifyOptions& options = {});

}  // namespace hotpack
