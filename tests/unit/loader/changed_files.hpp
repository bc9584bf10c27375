// Changes files of a pack while somebody reads them.
//
// Functions over paths. They throw std::logic_error on failure: a test that cannot prepare its
// files is wrong.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.hpp"
#include "base/endian.hpp"
#include "format/shard_header.hpp"

namespace hotpack::test {

inline std::vector<std::byte> content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

inline std::uint64_t find_in_file(const std::string& path, std::span<const std::byte> wanted) {
  const auto bytes = content_of(path);
  const auto found = std::search(bytes.begin(), bytes.end(), wanted.begin(), wanted.end());
  if (found == bytes.end()) throw std::logic_error("not in " + path);
  return static_cast<std::uint64_t>(found - bytes.begin());
}

// Offset of a compressed record; the field is "image.zstd" or "label.zstd".
inline std::uint64_t frame_offset(const std::string& path, const std::string& field,
                                  std::uint64_t record) {
  const auto bytes = content_of(path);
  const auto header = format::decode_header(bytes).value();
  return header.buffer_start() + header.find(field)->begin +
         format::u64_at(bytes, header, *header.find(field + ".offsets"), record);
}

// Makes a record of different sizes claim 100,000 × 100,000 pixels, with correct sums of header
// and tables.
inline void enlarge_shape(const std::string& path, const std::string& field, std::uint64_t record) {
  auto bytes = content_of(path);
  const auto header = format::decode_header(bytes).value();
  const std::uint64_t shape =
      header.buffer_start() + header.find(field + ".shape")->begin + 12 * record;
  store_le<std::int32_t>(bytes.data() + shape, 100'000);
  store_le<std::int32_t>(bytes.data() + shape + 4, 100'000);
  const std::uint64_t tables = header.buffer_start() + header.tables_begin;
  const std::uint64_t sums = header.buffer_start() + header.find("shard.crc32c")->begin;
  store_le(bytes.data() + sums + 4, crc32c(std::span(bytes).subspan(tables, sums - tables)));
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

// Writes into the same file, unlike a write that replaces it: mappings see the change.
inline void flip_in_place(const std::string& path, std::uint64_t offset) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  char byte = 0;
  file.seekg(static_cast<std::streamoff>(offset)).get(byte);
  file.seekp(static_cast<std::streamoff>(offset)).put(static_cast<char>(byte ^ 1));
  if (!file.flush()) throw std::logic_error("cannot change " + path);
}

// Replaces this file with another one of the same length.
inline void replace_by_zeros(const std::string& path) {
  std::ofstream(path + ".new", std::ios::binary)
      << std::string(std::filesystem::file_size(path), '\0');
  std::filesystem::rename(path + ".new", path);
}

inline std::size_t open_descriptors() {
  const auto entries = std::filesystem::directory_iterator("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

}  // namespace hotpack::test
