// Files that stop to be readable while they are in use, reported in words: cut short, replaced, deleted, a failing disk.
//
// Pure but for looking at the file. Thread-safe. Failure: none; what cannot be found out is left out of the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/file.hpp"
#include "hotpack/result.hpp"

namespace hotpack::reader {

// Code `damaged`, with both lengths.
[[nodiscard]] Error shrunk_error(const std::string& path, std::uint64_t size_before, std::uint64_t size_now);
// Code `damaged`: the path names another file than the one that was opened.
[[nodiscard]] Error replaced_error(const std::string& path);

// Why the byte at `offset` of a file that was `opened` cannot be read: `damaged` where it shrank or was replaced, `io` with the system's
// text where it is as it was.
[[nodiscard]] Error unreadable_error(const std::string& path, const FileIdentity& opened, std::uint64_t offset);

// Reads exactly into.size() bytes at `offset` of the file that was `opened`. Errors as above.
[[nodiscard]] Status read_exactly(const File& file, const FileIdentity& opened, std::uint64_t offset, std::span<std::byte> into);

}  // namespace hotpack::reader
