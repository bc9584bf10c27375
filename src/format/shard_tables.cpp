#include "format/shard_tables.hpp"

#include <cstring>
#include <numeric>
#include <string_view>

#include "base/checksum.hpp"
#include "base/endian.hpp"

namespace hotpack::format {
namespace {

// Writes tables by name into the bytes of the region; a table that the layout lacks is passed over.
class TablesWriter {
 public:
  explicit TablesWriter(const Layout& layout)
      : layout_(layout), bytes_(static_cast<std::size_t>(layout.buffer_bytes - layout.tables_begin)) {}

  // `width` numbers a record.
  template <class T, class Numbers>
  void rows(std::string_view name, const std::vector<RecordEntry>& entries, Numbers numbers_of) {
    std::byte* at = find(name);
    if (at == nullptr) return;
    for (const auto& entry : entries) {
      for (const T number : numbers_of(entry)) {
        store_le(at, number);
        at += sizeof(T);
      }
    }
  }

  template <class T, class Number>
  void column(std::string_view name, const std::vector<RecordEntry>& entries, Number number_of) {
    rows<T>(name, entries, [&](const RecordEntry& entry) { return std::array<T, 1>{number_of(entry)}; });
  }

  // N+1 running totals of what `size_of` gives.
  template <class Size>
  void offsets(std::string_view name, const std::vector<RecordEntry>& entries, Size size_of) {
    std::byte* at = find(name);
    if (at == nullptr) return;
    std::uint64_t total = 0;
    store_le(at, total);
    for (const auto& entry : entries) {
      total += size_of(entry);
      store_le(at += sizeof total, total);
    }
  }

  void keys(const std::vector<RecordEntry>& entries) {
    std::byte* at = find("key.data");
    for (const auto& entry : entries) {
      std::memcpy(at, entry.key.data(), entry.key.size());
      at += entry.key.size();
    }
  }

  void numbers(std::string_view name, std::span<const std::uint64_t> values) {
    std::byte* at = find(name);
    for (const std::uint64_t value : values) {
      store_le(at, value);
      at += sizeof value;
    }
  }

  // The last table: it covers the header and all the others.
  void seal(std::string_view header) {
    std::byte* at = find("shard.crc32c");
    const std::span<const std::byte> before(bytes_.data(), static_cast<std::size_t>(at - bytes_.data()));
    store_le(at, crc32c(bytes_of(header)));
    store_le(at + 4, crc32c(before));
  }

  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::byte* find(std::string_view name) {
    const Tensor* tensor = layout_.find(name);
    return tensor == nullptr ? nullptr : bytes_.data() + (tensor->begin - layout_.tables_begin);
  }

  const Layout& layout_;
  std::vector<std::byte> bytes_;
};

void write_image_tables(TablesWriter& writer, const std::vector<RecordEntry>& entries) {
  const auto stored = [](const RecordEntry& entry) { return entry.image_stored; };
  writer.offsets("image.offsets", entries, stored);
  writer.offsets("image.zstd.offsets", entries, stored);
  writer.rows<std::int32_t>("image.shape", entries, [](const RecordEntry& entry) { return entry.image_shape; });
  writer.column<std::uint32_t>("image.crc32c", entries, [](const RecordEntry& entry) { return entry.image_crc; });
  writer.column<std::uint32_t>("image.zstd.crc32c", entries, [](const RecordEntry& entry) { return entry.image_frame_crc; });
}

void write_label_tables(TablesWriter& writer, const std::vector<RecordEntry>& entries) {
  const auto stored = [](const RecordEntry& entry) { return entry.label_stored; };
  writer.offsets("label.offsets", entries, stored);
  writer.offsets("label.zstd.offsets", entries, stored);
  writer.rows<std::int32_t>("label.shape", entries, [](const RecordEntry& entry) { return entry.label_shape; });
  writer.column<std::uint32_t>("label.crc32c", entries, [](const RecordEntry& entry) { return entry.label_crc; });
  writer.column<std::uint32_t>("label.zstd.crc32c", entries, [](const RecordEntry& entry) { return entry.label_frame_crc; });
}

}  // namespace

std::vector<std::byte> encode_tables(const Schema& schema, const Layout& layout, const std::vector<RecordEntry>& entries, const Sums& sums,
                                     std::string_view header) {
  TablesWriter writer(layout);
  write_image_tables(writer, entries);
  if (schema.label) write_label_tables(writer, entries);
  writer.offsets("key.offsets", entries, [](const RecordEntry& entry) { return entry.key.size(); });
  writer.rows<std::uint64_t>("source.hash", entries, [](const RecordEntry& entry) { return entry.source_hash; });
  writer.numbers("shard.sums", sums.numbers());
  writer.rows<std::int32_t>("source.size", entries, [](const RecordEntry& entry) { return entry.source_size; });
  writer.rows<std::int32_t>("source.region", entries, [](const RecordEntry& entry) { return entry.source_region; });
  writer.keys(entries);
  writer.seal(header);
  return writer.take();
}

std::string shard_digest(std::span<const std::byte> header, std::span<const std::byte> tables) {
  Hasher128 hasher;
  hasher.add(header);
  hasher.add(tables);
  return hasher.finish().text();
}

}  // namespace hotpack::format
