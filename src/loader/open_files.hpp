// Shards open for reading by system calls: the last few of them, shared by threads.
//
// Ownership: owns the descriptors; a file that was handed out stays open until it is let go. Thread-safe; a lock is held for a look-up, not
// while files are opened or read.
// Failure: `io` with path and offset; `damaged` where the path names another file than the one that is mapped, or that one has shrunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/file.hpp"
#include "hotpack/result.hpp"
#include "reader/shard_file.hpp"

namespace hotpack::loader {

class OpenFiles {
 public:
  // Keeps up to `most` files open, at least one.
  explicit OpenFiles(std::size_t most = 64) : most_(most) {}

  // The file of a shard, which is `mapped`.
  [[nodiscard]] Result<std::shared_ptr<const File>> open(std::size_t shard, const reader::ShardFile& mapped);
  // The same where it is open already, else null.
  [[nodiscard]] std::shared_ptr<const File> find(std::size_t shard);

 private:
  struct Entry {
    std::size_t shard = 0;
    std::uint64_t used = 0;
    std::shared_ptr<const File> file;
  };
  std::shared_ptr<const File> keep(std::size_t shard, std::shared_ptr<const File> file);

  std::size_t most_;
  std::mutex lock_;
  std::uint64_t uses_ = 0;
  std::vector<Entry> entries_;
};

// Reads exactly into.size() bytes at `offset` of a file that is `mapped`.
[[nodiscard]] Status read_exactly(const File& file, const reader::ShardFile& mapped, std::uint64_t offset, std::span<std::byte> into);

}  // namespace hotpack::loader
