// Describes why a file has become unreadable while it was in use: truncated, replaced, deleted, or
// on a failing disk.
//
// Examines the file and changes nothing. Thread-safe. Never fails: the text omits what cannot be
// found out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/file.hpp"
#include "hotpack/result.hpp"

namespace hotpack::reader {

// Code `damaged`, with both lengths.
[[nodiscard]] Error shrunk_error(const std::string& path, std::uint64_t size_before,
                                 std::uint64_t size_now);
// Code `damaged`: the path now names another file than the one that was opened.
[[nodiscard]] Error replaced_error(const std::string& path);

// Returns the error for a byte that cannot be read, at `offset` of the file at `path`. `opened` is
// the identity that the file had when it was opened. Code `damaged` if the file has shrunk or was
// replaced since then, otherwise `io` with the system's text.
[[nodiscard]] Error unreadable_error(const std::string& path, const FileIdentity& opened,
                                     std::uint64_t offset);

// Reads exactly into.size() bytes at `offset` of the file that was `opened`. Errors as above.
[[nodiscard]] Status read_exactly(const File& file, const FileIdentity& opened,
                                  std::uint64_t offset, std::span<std::byte> into);

}  // namespace hotpack::reader
