// Reads a shard that may be hostile: checks the header against every rule of safetensors and of
// hotpack before it forms a pointer from it.
//
// All functions work on bytes in memory (a mapping or a test's array), check each range by
// subtraction and never throw. Errors have code `damaged` and say what is wrong and where; the
// caller adds the path.
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

// A validated header. It does not require aligned tensors (see `aligned`).
struct ShardHeader {
  std::uint64_t header_bytes = 0;  // L
  int minor = 0;                   // of format 1.<minor>
  Metadata metadata;
  Schema schema;
  PlanIdentity plan;
  std::vector<Tensor> tensors;     // sorted by offset, including fillers and tensors of a later 1.x
  std::uint64_t records = 0;       // N
  std::uint64_t tables_begin = 0;  // relative to the buffer
  bool aligned = false;  // payload fields start on pages, tables at multiples of their item size

  [[nodiscard]] std::uint64_t buffer_start() const { return 8 + header_bytes; }
  // O(log tensors); null if there is none.
  [[nodiscard]] const Tensor* find(std::string_view name) const;
  void set_tensors(std::vector<Tensor> sorted_by_offset);

 private:
  std::vector<std::uint32_t> by_name_;  // indices into tensors, sorted by name
};

// The tensors of one payload field (image or label); they belong to the header. `payload` is null
// if the shard has no such field.
struct FieldTables {
  std::string name;
  const Tensor* payload = nullptr;
  bool compressed = false;
  // the offsets of records of different sizes, or of compressed records (frames); null if all
  // records have one size and are not compressed
  const Tensor* offsets = nullptr;
  const Tensor* shapes = nullptr;  // null: records of one size
  const Tensor* crcs = nullptr;
  const Tensor* frame_crcs = nullptr;  // null unless compressed
};

// Return the tables of the image and of the label. They depend only on the schema and on tensors
// that decode_header has checked.
[[nodiscard]] FieldTables image_tables(const ShardHeader& header);
[[nodiscard]] FieldTables label_tables(const ShardHeader& header);

// The parsed form of a schema text. The shards of one data set have the same text, so a reader of
// several shards parses it only once.
struct SchemaCache {
  std::string text;
  Schema schema;
  int minor = -1;
};

// Parses the header of a shard and checks:
// - the length L and its range; strict JSON; entries; offsets that start at 0, touch and end with
//   the file; shapes;
// - metadata; the version (refuses an unknown major version, accepts a later minor one); the
//   schema;
// - that every tensor that the schema requires exists with its dtype and shape, and that none
//   belongs to another form of image or label; that all tensors agree on the number of records N;
// - that no filler is empty; that the tables region exists.
// Unknown tensors are allowed from 1.1 on. `file` is the whole file. A file with L = 0 is reported
// as unfinished.
[[nodiscard]] Result<ShardHeader> decode_header(std::span<const std::byte> file,
                                                SchemaCache* cache = nullptr);

// Checks the two checksums in the tensor shard.crc32c: that of the header, and that of the tables
// region. Also fails if a table lies outside the region that the checksum covers, which happens if
// another library saves the file again.
[[nodiscard]] Status check_region_sums(std::span<const std::byte> file, const ShardHeader& header);

// Checks the tables; call it after decode_header and before the tables are used. Takes time in
// proportion to the number of records; does not read the records. Checks:
// - both checksums in shard.crc32c;
// - offsets that rise to the end of their data; shapes of records of different sizes;
// - compressed records no larger than their frames can contain;
// - keys: relative paths in UTF-8 without NUL, empty parts, "." or "..";
// - numbers in shard.sums that do not contradict each other.
[[nodiscard]] Status check_tables(std::span<const std::byte> file, const ShardHeader& header);

// Returns the number at position `index` of a table. The table need not be aligned in memory.
// Precondition: index < the table's length.
[[nodiscard]] std::uint64_t u64_at(std::span<const std::byte> file, const ShardHeader& header,
                                   const Tensor& tensor, std::uint64_t index);
[[nodiscard]] std::uint32_t u32_at(std::span<const std::byte> file, const ShardHeader& header,
                                   const Tensor& tensor, std::uint64_t index);
[[nodiscard]] std::int32_t i32_at(std::span<const std::byte> file, const ShardHeader& header,
                                  const Tensor& tensor, std::uint64_t index);

[[nodiscard]] Sums read_sums(std::span<const std::byte> file, const ShardHeader& header);
// Returns the digest that the manifest must have for this shard.
[[nodiscard]] std::string digest_of(std::span<const std::byte> file, const ShardHeader& header);

}  // namespace hotpack::format
