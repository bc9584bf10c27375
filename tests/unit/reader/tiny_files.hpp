// Tiny packs as files, and small changes to them.
#pragma once

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.hpp"
#include "base/endian.hpp"
#include "support/tiny_shard.hpp"

namespace hotpack::test {

inline void write_bytes(const std::string& path, std::span<const std::byte> bytes) {
  std::remove(path.c_str());  // some file systems write a file that replaces another to disk at
                              // once: slow, thousands of times
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::logic_error("cannot write " + path);
}

inline std::vector<std::byte> read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

inline void flip(const std::string& path, std::uint64_t offset, std::byte mask = std::byte{1}) {
  auto bytes = read_bytes(path);
  bytes.at(offset) ^= mask;
  write_bytes(path, bytes);
}

// Corrects the sum of the tables region.
inline void seal_tables(TinyShard& shard) {
  const std::uint64_t tables = shard.layout.buffer_start() + shard.layout.tables_begin;
  const std::uint64_t sums = shard.layout.file_offset("shard.crc32c");
  store_le(shard.bytes.data() + sums + 4,
           crc32c(std::span(shard.bytes).subspan(tables, sums - tables)));
}

// Corrects the CRC of a record of fixed size, then that of the tables.
inline void seal_record(TinyShard& shard, std::string_view field, std::size_t record,
                        std::size_t record_bytes) {
  const auto bytes =
      std::span(shard.bytes)
          .subspan(shard.layout.file_offset(field) + record * record_bytes, record_bytes);
  store_le(
      shard.bytes.data() + shard.layout.file_offset(std::string(field) + ".crc32c") + 4 * record,
      crc32c(bytes));
  seal_tables(shard);
}

// One form of every kind of pack.
inline std::vector<TinyForm> all_forms() {
  std::vector<TinyForm> forms;
  for (const LabelStorage storage :
       {LabelStorage::bits, LabelStorage::one_hot, LabelStorage::index}) {
    for (const LabelScope scope : {LabelScope::pixel, LabelScope::image}) {
      TinyForm form;
      form.storage = storage;
      form.scope = scope;
      forms.push_back(form);
      form.size.reset();
      forms.push_back(form);
      form.image_zstd = form.label_zstd = true;
      forms.push_back(form);
      form.size = Extent{6, 5};
      form.layout = AxisOrder::channels_first;
      forms.push_back(form);
    }
    TinyForm wide;
    wide.storage = storage;
    wide.classes = 300;
    forms.push_back(wide);
  }
  TinyForm other;
  other.multi = true;
  forms.push_back(other);
  other = {};
  other.color = ImageColor::gray;
  other.layout = AxisOrder::channels_first;
  forms.push_back(other);
  other = {};
  other.labeled = false;
  forms.push_back(other);
  other.size.reset();
  forms.push_back(other);
  other = {};
  other.later = true;
  forms.push_back(other);
  return forms;
}

}  // namespace hotpack::test
