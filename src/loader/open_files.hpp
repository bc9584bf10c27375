// Shards that are open for reading with system calls. The most recently used ones stay open; all
// threads share them.
//
// Ownership: owns the descriptors; a file stays open while a caller holds it. Thread-safe; the lock
// covers look-ups, not opening, reading or closing. Failure: `io` with path and offset; `damaged`
// if the path names another file than the one whose tables were read, or if the file has shrunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "base/file.hpp"
#include "hotpack/result.hpp"
#include "reader/shard_file.hpp"

namespace hotpack::loader {

// A quarter of the descriptors that a process may have, at least 16 and at most 4,096.
[[nodiscard]] std::size_t open_files_limit(std::uint64_t descriptors) noexcept;
// The limit above, for the descriptors that this process may have.
[[nodiscard]] std::size_t open_files_limit() noexcept;

class OpenFiles {
 public:
  // Keeps at most `most` of the shards open, but at least one.
  OpenFiles(std::size_t shards, std::size_t most) : most_(most), entries_(shards) {}

  // Returns the file of shard number `shard`; opens it if necessary. `tables` is the same shard,
  // opened with MapMode::tables.
  [[nodiscard]] Result<std::shared_ptr<const File>> open(std::size_t shard,
                                                         const reader::ShardFile& tables);
  // Returns the file of a shard if it is open, else null.
  [[nodiscard]] std::shared_ptr<const File> find(std::size_t shard);

 private:
  struct Entry {
    std::shared_ptr<const File> file;        // null: not open
    std::list<std::size_t>::iterator place;  // in by_use_, if open
  };
  [[nodiscard]] std::shared_ptr<const File> find_locked(std::size_t shard);
  [[nodiscard]] std::shared_ptr<const File> keep(std::size_t shard,
                                                 std::shared_ptr<const File> file);

  std::size_t most_;
  std::mutex lock_;
  std::vector<Entry> entries_;     // one per shard
  std::list<std::size_t> by_use_;  // open shards, the most recently used first
};

}  // namespace hotpack::loader
