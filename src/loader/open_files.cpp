#include "loader/open_files.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "reader/changed_file.hpp"

namespace hotpack::loader {

std::size_t open_files_limit(std::uint64_t descriptors) noexcept {
  return std::clamp<std::uint64_t>(descriptors / 4, 16, 4096);
}

std::size_t open_files_limit() noexcept {
  rlimit limit{};
  return open_files_limit(::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0);
}

std::shared_ptr<const File> OpenFiles::find(std::size_t shard) {
  const std::lock_guard lock(lock_);
  return find_locked(shard);
}

std::shared_ptr<const File> OpenFiles::find_locked(std::size_t shard) {
  const Entry& entry = entries_[shard];
  if (entry.file != nullptr) by_use_.splice(by_use_.begin(), by_use_, entry.place);
  return entry.file;
}

// Adds an opened file to those that stay open and, if there are too many, drops the least recently
// used one. If another thread has opened the same shard in the meantime, returns that thread's
// file.
std::shared_ptr<const File> OpenFiles::keep(std::size_t shard, std::shared_ptr<const File> file) {
  std::shared_ptr<const File> closed;  // closed after the lock is released
  const std::lock_guard lock(lock_);
  if (auto earlier = find_locked(shard)) return earlier;
  if (by_use_.size() >= most_) {
    closed = std::move(entries_[by_use_.back()].file);
    by_use_.pop_back();
  }
  by_use_.push_front(shard);
  entries_[shard] = {file, by_use_.begin()};
  return file;
}

Result<std::shared_ptr<const File>> OpenFiles::open(std::size_t shard,
                                                    const reader::ShardFile& tables) {
  if (auto open_already = find(shard)) return open_already;
  HOTPACK_ASSIGN(File opened, File::open_read(tables.path()));
  HOTPACK_ASSIGN(const FileIdentity now, opened.identity());
  if (!now.same_file(tables.identity())) return reader::replaced_error(tables.path());
  if (now.size_bytes < tables.identity().size_bytes) {
    return reader::shrunk_error(tables.path(), tables.identity().size_bytes, now.size_bytes);
  }
  return keep(shard, std::make_shared<const File>(std::move(opened)));
}

}  // namespace hotpack::loader
