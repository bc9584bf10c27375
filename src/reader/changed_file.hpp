// Describes files that become unreadable while they are in use: truncated, replaced, deleted, on
// a failing disk.
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

// The reason why the byte at `offset` of a file that was `opened` cannot be read: `damaged` if
// the file shrank or was replaced, otherwise `io` with the system's text.
[[nodiscard]] Error unreadable_error(const std::string& path, const FileIdentity& opened,
                                     std::uint64_t offset);

// Reads exactly into.size() bytes at `offset` of the file that was `opened`. Errors as above.
[[nodiscard]] Status read_exactly(const File& file, const FileIdentity& opened,
                                  std::uint64_t offset, std::span<std::byte> into);

}  // namespace hotpack::reader
