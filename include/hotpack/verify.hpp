// Checks a packed data set against every rule of FORMAT.md and every checksum, and goes on after the first problem.
//
// Ownership: plain values. Thread-safety: functions may run at once on different folders; `progress` is called from one thread at a time.
// Failure: a Result's error only when there is nothing to look at (code `io`: the path is missing or unreadable). What is wrong with the
// files themselves are findings. Memory: the keys of all samples, and one record per thread where records are compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack {

/// One thing that is wrong.
struct VerifyFinding {
  std::string file;                     ///< its name in the folder
  std::optional<std::uint64_t> record;  ///< index in that shard
  std::string key;                      ///< of that record, where it can be read
  std::optional<std::uint64_t> offset;  ///< byte in that file
  std::string text;                     ///< what was found and what was expected
  ErrorCode code = ErrorCode::damaged;  ///< or io: the file could not be read
  /// "file: record 3 (key), at byte 4096: text", the parts that exist.
  [[nodiscard]] std::string describe() const;
};

struct VerifyProgress {
  std::uint64_t shards_done = 0;
  std::uint64_t shards_total = 0;
  std::uint64_t records_done = 0;
  std::uint64_t records_total = 0;  ///< as the manifest says; without one 0
  std::uint64_t bytes_done = 0;     ///< of records, uncompressed
  std::uint64_t findings = 0;
};

struct VerifyOptions {
  unsigned threads = 0;  ///< default 0: one per processor. Records of a shard are shared among them; the report does not depend on it
  std::size_t max_findings = 1000;  ///< kept in the report, at least 1; all are counted
  /// Called every few records; false stops. Default: none.
  std::function<bool(const VerifyProgress&)> progress;
};

struct VerifyReport {
  std::vector<VerifyFinding> findings;  ///< in the order of files and records, at most max_findings
  std::uint64_t finding_count = 0;      ///< of all
  std::vector<std::string> notes;       ///< not damage: foreign and temporary files, what could not be checked
  std::uint64_t shards = 0;             ///< examined
  std::uint64_t records = 0;
  std::uint64_t size_bytes = 0;  ///< of the shards' files
  bool aligned = true;           ///< every shard examined keeps payload on pages and tables on multiples of their items
  bool stopped = false;          ///< progress returned false: what follows was not checked
  /// Everything was checked and nothing is wrong.
  [[nodiscard]] bool ok() const { return finding_count == 0 && !stopped; }
};

/// A folder: its manifest, its shards, and that they agree.
[[nodiscard]] Result<VerifyReport> verify_dataset(const std::string& folder, const VerifyOptions& options = {});
/// One shard by itself, of a partition for example.
[[nodiscard]] Result<VerifyReport> verify_shard(const std::string& path, const VerifyOptions& options = {});

}  // namespace hotpack
