#include "reader/changed_file.hpp"

#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::reader {

namespace {

Error with_offset(Error error, std::uint64_t offset) {
  error.offset = offset;
  return error;
}

// Reads one byte with a system call, which tells why it cannot be read.
Error refused_read(const File& file, std::uint64_t offset) {
  std::array<std::byte, 1> byte{};
  const auto read = file.read_some(offset, byte);
  if (!read.ok()) return read.error();
  return {ErrorCode::io,
          "could not be read at first, but a second attempt succeeded: is the disk failing, or was "
          "the file written meanwhile?",
          file.path(),
          {}};
}

}  // namespace

Error shrunk_error(const std::string& path, std::uint64_t size_before, std::uint64_t size_now) {
  return damaged_error("had " + std::to_string(size_before) + " bytes when it was opened and has " +
                           std::to_string(size_now) +
                           " now; was it truncated or rewritten while in use? Restore it or pack "
                           "again, then open the data set again",
                       path);
}

Error replaced_error(const std::string& path) {
  return damaged_error("another file has replaced it since it was opened; open the data set again",
                       path);
}

Error unreadable_error(const std::string& path, const FileIdentity& opened, std::uint64_t offset) {
  const auto file = File::open_read(path);
  if (!file.ok()) return with_offset(file.error(), offset);
  const auto now = file->identity();
  if (!now.ok()) return with_offset(now.error(), offset);
  if (!now->same_file(opened)) return with_offset(replaced_error(path), offset);
  if (now->size_bytes < opened.size_bytes)
    return with_offset(shrunk_error(path, opened.size_bytes, now->size_bytes), offset);
  return with_offset(refused_read(*file, offset), offset);
}

Status read_exactly(const File& file, const FileIdentity& opened, std::uint64_t offset,
                    std::span<std::byte> into) {
  const auto read = file.read_some(offset, into);
  if (read.ok() && *read == into.size()) return {};
  if (!read.ok()) return with_offset(read.error(), offset);
  const auto now = file.identity();
  if (!now.ok()) return with_offset(now.error(), offset);
  if (now->size_bytes < opened.size_bytes)
    return with_offset(shrunk_error(file.path(), opened.size_bytes, now->size_bytes), offset);
  return with_offset(refused_read(file, offset + *read), offset + *read);
}

}  // namespace hotpack::reader
