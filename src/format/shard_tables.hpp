// Builds the tables region of a shard from what is known record by record.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/shard_layout.hpp"
#include "format/sums.hpp"
#include "hotpack/result.hpp"

namespace hotpack::format {

// What the tables say about one record.
struct RecordEntry {
  std::string key;
  std::array<std::uint64_t, 2> source_hash{};   // image file, label file (0 if none)
  std::array<std::int32_t, 2> source_size{};    // width, height
  std::array<std::int32_t, 4> source_region{};  // x, y, width, height
  std::uint32_t image_crc = 0;                  // of the record uncompressed
  std::uint32_t label_crc = 0;
  std::uint64_t image_stored = 0;  // bytes as stored: with zstd the frame, with sizes that differ the record
  std::uint64_t label_stored = 0;
  std::uint32_t image_frame_crc = 0;  // with zstd
  std::uint32_t label_frame_crc = 0;
  std::array<std::int32_t, 3> image_shape{};  // with sizes that differ
  std::array<std::int32_t, 3> label_shape{};
};

// Takes records one after the other and keeps them as the tables will say them, so that a shard of many small records needs little
// memory besides its tables. Owns the tables' bytes. Not thread-safe.
class TableBuilder {
 public:
  // Room for the records and key bytes that `planned` has.
  explicit TableBuilder(Layout planned);

  // The next record. Fails with code `internal` where there is no room for it.
  [[nodiscard]] Status add(const RecordEntry& entry);
  [[nodiscard]] std::uint64_t records() const { return records_; }
  [[nodiscard]] std::uint64_t key_bytes() const;

  // The bytes from the start of the tables region to the end of the file, `shard.crc32c` included (which needs the header bytes
  // [0, 8+L)). Precondition: `layout` has the same tables as the planned one, for the records added. Nothing may be added after it.
  [[nodiscard]] std::vector<std::byte> finish(const Layout& layout, const Sums& sums, std::string_view header);

 private:
  [[nodiscard]] std::byte* find(std::string_view name);
  template <class T, std::size_t kWidth>
  void put(std::string_view name, const std::array<T, kWidth>& numbers);
  void put_end(std::string_view name, std::uint64_t size);
  void move_to(const Layout& layout);

  Layout layout_;  // of bytes_
  std::vector<std::byte> bytes_;
  std::uint64_t capacity_;  // records
  std::uint64_t records_ = 0;
};

// digest of the manifest: xxh3-128 over the header bytes [0, 8+L) and the tables region with shard.crc32c.
[[nodiscard]] std::string shard_digest(std::span<const std::byte> header, std::span<const std::byte> tables);

}  // namespace hotpack::format
