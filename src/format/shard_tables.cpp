#include "format/shard_tables.hpp"

#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/checksum.hpp"
#include "base/endian.hpp"
#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::format {

TableBuilder::TableBuilder(Layout planned)
    : layout_(std::move(planned)),
      bytes_(static_cast<std::size_t>(layout_.buffer_bytes - layout_.tables_begin)),
      capacity_(layout_.find("key.offsets")->shape[0] - 1) {}

// Returns the bytes of a table, or null if the layout has no such table.
std::byte* TableBuilder::find(std::string_view name) {
  const Tensor* tensor = layout_.find(name);
  return tensor == nullptr ? nullptr : bytes_.data() + (tensor->begin - layout_.tables_begin);
}

// Writes the row of the next record.
template <class T, std::size_t kWidth>
void TableBuilder::put(std::string_view name, const std::array<T, kWidth>& numbers) {
  std::byte* at = find(name);
  if (at == nullptr) return;
  at += records_ * sizeof numbers;
  for (const T number : numbers) {
    store_le(at, number);
    at += sizeof number;
  }
}

// Writes the end of the next record into a table of N+1 running totals that begin with 0.
void TableBuilder::put_end(std::string_view name, std::uint64_t size) {
  std::byte* at = find(name);
  if (at == nullptr) return;
  at += records_ * sizeof size;
  store_le(at + sizeof size, load_le<std::uint64_t>(at) + size);
}

std::uint64_t TableBuilder::key_bytes() const {
  const Tensor& offsets = *layout_.find("key.offsets");
  return load_le<std::uint64_t>(bytes_.data() + (offsets.begin - layout_.tables_begin) +
                                records_ * sizeof(std::uint64_t));
}

// Adds a row for each class in the label of the next record.
Status TableBuilder::add_classes(std::string_view key, const Sums& sums) {
  if (find("label.classes.offsets") == nullptr) return {};
  const std::size_t before = classes_.size();
  for (std::uint32_t id = 0; id < sums.classes.size(); ++id) {
    const std::uint64_t pixels = sums.classes[id].pixels;
    if (pixels > std::numeric_limits<std::uint32_t>::max())
      return data_error("the label of " + std::string(key) + " has " + std::to_string(pixels) +
                        " pixels of class " + std::to_string(id) +
                        "; the most is 4294967295: use a smaller --size");
    if (pixels > 0) classes_.push_back({id, static_cast<std::uint32_t>(pixels)});
  }
  put_end("label.classes.offsets", classes_.size() - before);
  return {};
}

Status TableBuilder::add(const RecordEntry& entry, const Sums& sums) {
  const std::uint64_t before = key_bytes();
  if (records_ == capacity_ || entry.key.size() > layout_.find("key.data")->bytes() - before)
    return internal_error("a shard got more records or longer keys than planned");
  if (!entry.key.empty())
    std::memcpy(find("key.data") + before, entry.key.data(), entry.key.size());
  put_end("key.offsets", entry.key.size());
  put("source.hash", entry.source_hash);
  put("source.size", entry.source_size);
  put("source.region", entry.source_region);
  put_end("image.offsets", entry.image_stored);
  put_end("image.zstd.offsets", entry.image_stored);
  put("image.shape", entry.image_shape);
  put("image.crc32c", std::array{entry.image_crc});
  put("image.zstd.crc32c", std::array{entry.image_frame_crc});
  put_end("label.offsets", entry.label_stored);
  put_end("label.zstd.offsets", entry.label_stored);
  put("label.shape", entry.label_shape);
  put("label.crc32c", std::array{entry.label_crc});
  put("label.zstd.crc32c", std::array{entry.label_frame_crc});
  HOTPACK_TRY(add_classes(entry.key, sums));
  ++records_;
  return {};
}

// Moves each table to the place that it has in `layout`, which differs from the planned one if
// fewer records were added, or if there are rows of classes. Every table keeps its first bytes.
void TableBuilder::move_to(const Layout& layout) {
  std::vector<std::byte> moved(static_cast<std::size_t>(layout.buffer_bytes - layout.tables_begin));
  for (const Tensor& tensor : layout.tensors) {
    if (tensor.begin < layout.tables_begin || tensor.bytes() == 0 ||
        tensor.name.starts_with("_pad.") || tensor.name == "label.classes")
      continue;
    std::memcpy(moved.data() + (tensor.begin - layout.tables_begin), find(tensor.name),
                static_cast<std::size_t>(tensor.bytes()));
  }
  bytes_ = std::move(moved);
}

std::vector<std::byte> TableBuilder::finish(const Layout& layout, const Sums& sums,
                                            std::string_view header) {
  if (records_ != capacity_ || !classes_.empty()) move_to(layout);
  layout_ = layout;
  std::byte* at = find("label.classes");
  for (const auto& row : classes_)
    for (const std::uint32_t number : row) {
      store_le(at, number);
      at += sizeof number;
    }
  at = find("shard.sums");
  for (const std::uint64_t number : sums.numbers()) {
    store_le(at, number);
    at += sizeof number;
  }
  // The last table has the sums of the header and of all tables before it.
  at = find("shard.crc32c");
  const std::span<const std::byte> before(bytes_.data(),
                                          static_cast<std::size_t>(at - bytes_.data()));
  store_le(at, crc32c(bytes_of(header)));
  store_le(at + sizeof(std::uint32_t), crc32c(before));
  return std::move(bytes_);
}

std::string shard_digest(std::span<const std::byte> header, std::span<const std::byte> tables) {
  Hasher128 hasher;
  hasher.add(header);
  hasher.add(tables);
  return hasher.finish().text();
}

}  // namespace hotpack::format
