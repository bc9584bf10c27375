#include "loader/open_files.hpp"

#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "reader/changed_file.hpp"

namespace hotpack::loader {

std::shared_ptr<const File> OpenFiles::find(std::size_t shard) {
  const std::lock_guard lock(lock_);
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& one) { return one.shard == shard; });
  if (entry == entries_.end()) return nullptr;
  entry->used = ++uses_;
  return entry->file;
}

// The file, in place of the least recently used one; where another thread was faster, that thread's.
std::shared_ptr<const File> OpenFiles::keep(std::size_t shard, std::shared_ptr<const File> file) {
  if (auto earlier = find(shard)) return earlier;
  const std::lock_guard lock(lock_);
  const Entry entry{shard, ++uses_, file};
  if (entries_.size() < most_) {
    entries_.push_back(entry);
  } else {
    *std::min_element(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; }) = entry;
  }
  return file;
}

Result<std::shared_ptr<const File>> OpenFiles::open(std::size_t shard, const reader::ShardFile& mapped) {
  if (auto open_already = find(shard)) return open_already;
  HOTPACK_ASSIGN(File opened, File::open_read(mapped.path()));
  HOTPACK_ASSIGN(const FileIdentity now, opened.identity());
  if (!now.same_file(mapped.identity())) return reader::replaced_error(mapped.path());
  if (now.size_bytes < mapped.identity().size_bytes) {
    return reader::shrunk_error(mapped.path(), mapped.identity().size_bytes, now.size_bytes);
  }
  return keep(shard, std::make_shared<const File>(std::move(opened)));
}

Status read_exactly(const File& file, const reader::ShardFile& mapped, std::uint64_t offset, std::span<std::byte> into) {
  const auto read = file.read_some(offset, into);
  if (read.ok() && *read == into.size()) return {};
  auto now = file.identity();
  Error error = !read.ok() ? read.error()
                : now.ok() ? reader::shrunk_error(mapped.path(), mapped.identity().size_bytes, now->size_bytes)
                           : now.error();
  error.offset = offset + (read.ok() ? *read : 0);
  return error;
}

}  // namespace hotpack::loader
