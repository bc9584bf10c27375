// Shards changed by hand, to test what a validator refuses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.hpp"
#include "base/endian.hpp"
#include "support/tiny_shard.hpp"

namespace hotpack::test {

using Bytes = std::vector<std::byte>;

// A file of a header text, padded with spaces to at least `least` bytes, and the bytes after it.
inline Bytes with_header(std::string text, std::span<const std::byte> buffer,
                         std::size_t least = 0) {
  text.resize(std::max(text.size(), least), ' ');
  Bytes file(8 + text.size() + buffer.size());
  store_le(file.data(), static_cast<std::uint64_t>(text.size()));
  std::memcpy(file.data() + 8, text.data(), text.size());
  if (!buffer.empty()) std::memcpy(file.data() + 8 + text.size(), buffer.data(), buffer.size());
  return file;
}

inline std::string header_text(const TinyShard& shard) {
  const std::string text(reinterpret_cast<const char*>(shard.bytes.data()) + 8,
                         shard.layout.header_bytes);
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

inline std::span<const std::byte> buffer_of(const TinyShard& shard) {
  return std::span(shard.bytes).subspan(shard.layout.buffer_start());
}

// The shard with the first `from` in its header's text replaced.
inline Bytes edited(const TinyShard& shard, std::string_view from, std::string_view to) {
  std::string text = header_text(shard);
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("no " + std::string(from) + " in the header");
  text.replace(at, from.size(), to);
  return with_header(std::move(text), buffer_of(shard), shard.layout.header_bytes);
}

// Corrects both sums of shard.crc32c after a change that moved nothing.
inline void reseal(const TinyShard& shard, Bytes& file) {
  const std::uint64_t start = shard.layout.buffer_start(),
                      tables = start + shard.layout.tables_begin;
  const std::uint64_t sums = shard.layout.file_offset("shard.crc32c");
  store_le(file.data() + sums, crc32c({file.data(), start}));
  store_le(file.data() + sums + 4, crc32c({file.data() + tables, sums - tables}));
}

// The shard with one number of a table replaced and correct sums.
template <class T>
Bytes with_number(const TinyShard& shard, std::string_view table, std::size_t index, T value) {
  Bytes file = shard.bytes;
  store_le(file.data() + shard.layout.file_offset(table) + index * sizeof(T), value);
  reseal(shard, file);
  return file;
}

}  // namespace hotpack::test
