// Reading a shard that may be hostile: the header with every rule of safetensors, then hotpack's own, before any pointer is formed.
//
// Everything here works on bytes in memory (a mapping or a test's array), checks each range by subtraction and never throws.
// Errors have code `damaged` and name what is wrong and where; the caller adds the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/plan_text.hpp"
#include "format/shard_layout.hpp"
#include "format/sums.hpp"
#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::format {

// A validated header. Offsets come from the header; alignment is not required (`aligned` tells whether it holds).
struct ShardHeader {
  std::uint64_t header_bytes = 0;  // L
  int minor = 0;                   // of format 1.<minor>
  Metadata metadata;
  Schema schema;
  PlanIdentity plan;
  std::vector<Tensor> tensors;     // sorted by offset, fillers and tensors of a later 1.x included
  std::uint64_t records = 0;       // N
  std::uint64_t tables_begin = 0;  // relative to the buffer
  bool aligned = false;            // payload fields on pages, tables at multiples of their item size

  [[nodiscard]] std::uint64_t buffer_start() const { return 8 + header_bytes; }
  // O(log tensors); null where there is none.
  [[nodiscard]] const Tensor* find(std::string_view name) const;
  void set_tensors(std::vector<Tensor> sorted_by_offset);

 private:
  std::vector<std::uint32_t> by_name_;  // indices of tensors, by name
};

// The tensors of one payload field. They borrow from the header. `payload` is null where the shard has no such field.
struct FieldTables {
  std::string name;
  const Tensor* payload = nullptr;
  bool compressed = false;
  const Tensor* offsets = nullptr;  // of records (sizes that differ) or of frames; null: records of one size, uncompressed
  const Tensor* shapes = nullptr;   // null: records of one size
  const Tensor* crcs = nullptr;
  const Tensor* frame_crcs = nullptr;  // only when compressed
};

// The image and the label as the schema and the tensors that decode_header held against it give them, never by which other names exist.
[[nodiscard]] FieldTables image_tables(const ShardHeader& header);
[[nodiscard]] FieldTables label_tables(const ShardHeader& header);

// Cached parse of a schema text: shards of one data set share it, and a reader skips parsing where the text is equal.
struct SchemaCache {
  std::string text;
  Schema schema;
  int minor = -1;
};

// Rules checked: length L and its range; JSON (strict); entries; offsets that start at 0, touch and end at the end of the file;
// shapes; metadata; version (unknown major refused; later minor accepted); schema; every tensor that the schema calls for is there
// with its dtype and shape, and none that belongs to another form of image or label; one N everywhere; fillers that are not empty; the
// tables region. Unknown tensors are allowed from 1.1 on.
// `file` is the whole file. A file with L = 0 is reported as unfinished.
[[nodiscard]] Result<ShardHeader> decode_header(std::span<const std::byte> file, SchemaCache* cache = nullptr);

// Both sums of shard.crc32c alone: of the header, and of the tables region. Fails too where the layout leaves a table outside the region
// that the sum covers (another library's save_file does that).
[[nodiscard]] Status check_region_sums(std::span<const std::byte> file, const ShardHeader& header);

// First-touch checks after decode_header: both sums of shard.crc32c, offsets that rise and end at their data, shapes of records that
// differ in size, compressed records no larger than their frames can hold, keys (a relative path in UTF-8: no NUL, no part that is empty,
// "." or ".."), sums that fit. O(N), never touches the payload.
[[nodiscard]] Status check_tables(std::span<const std::byte> file, const ShardHeader& header);

// A table as numbers, wherever it stands (it may be unaligned). Precondition: index < the number of items.
[[nodiscard]] std::uint64_t u64_at(std::span<const std::byte> file, const ShardHeader& header, const Tensor& tensor, std::uint64_t index);
[[nodiscard]] std::uint32_t u32_at(std::span<const std::byte> file, const ShardHeader& header, const Tensor& tensor, std::uint64_t index);
[[nodiscard]] std::int32_t i32_at(std::span<const std::byte> file, const ShardHeader& header, const Tensor& tensor, std::uint64_t index);

[[nodiscard]] Sums read_sums(std::span<const std::byte> file, const ShardHeader& header);
// The digest that the manifest should have for this shard.
[[nodiscard]] std::string digest_of(std::span<const std::byte> file, const ShardHeader& header);

}  // namespace hotpack::format
