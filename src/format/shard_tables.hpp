// Builds the tables region of a shard record by record.
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

// The entries of one record in the tables.
struct RecordEntry {
  std::string key;
  // of the image file and of the label file (0 without one)
  std::array<std::uint64_t, 2> source_hash{};
  std::array<std::int32_t, 2> source_size{};    // width, height
  std::array<std::int32_t, 4> source_region{};  // x, y, width, height
  std::uint32_t image_crc = 0;                  // CRC-32C of the uncompressed record
  std::uint32_t label_crc = 0;
  std::uint64_t image_stored = 0;  // stored bytes: the frame with zstd, the record if sizes differ
  std::uint64_t label_stored = 0;
  std::uint32_t image_frame_crc = 0;  // with zstd
  std::uint32_t label_frame_crc = 0;
  std::array<std::int32_t, 3> image_shape{};  // if sizes differ
  std::array<std::int32_t, 3> label_shape{};
};

// Takes the entries of records one after another and stores them directly as tables. So a shard of
// many small records needs little memory beyond its tables. Owns the tables' bytes. Not
// thread-safe.
class TableBuilder {
 public:
  // Reserves space for as many records and key bytes as the layout `planned` has.
  explicit TableBuilder(Layout planned);

  // Adds the next record, whose label has these counts. Fails with code `internal` if there is no
  // space for it, `data` if a class has more pixels than 32 bits hold.
  [[nodiscard]] Status add(const RecordEntry& entry, const Sums& sums);
  [[nodiscard]] std::uint64_t records() const { return records_; }
  [[nodiscard]] std::uint64_t key_bytes() const;
  [[nodiscard]] std::uint64_t class_rows() const { return classes_.size(); }

  // Returns the bytes from the start of the tables region to the end of the file, including the
  // tensor `shard.crc32c`. `header` is the first 8 + L bytes of the file, for their checksum.
  // Precondition: `layout` has the same tables as the planned layout, for the number of records
  // added. Add nothing afterwards.
  [[nodiscard]] std::vector<std::byte> finish(const Layout& layout, const Sums& sums,
                                              std::string_view header);

 private:
  [[nodiscard]] std::byte* find(std::string_view name);
  template <class T, std::size_t kWidth>
  void put(std::string_view name, const std::array<T, kWidth>& numbers);
  void put_end(std::string_view name, std::uint64_t size);
  [[nodiscard]] Status add_classes(std::string_view key, const Sums& sums);
  void move_to(const Layout& layout);

  Layout layout_;  // the layout of bytes_
  std::vector<std::byte> bytes_;
  std::vector<std::array<std::uint32_t, 2>> classes_;  // rows of label.classes, if there is one
  std::uint64_t capacity_;                             // records
  std::uint64_t records_ = 0;
};

// Returns the digest of a shard for the manifest: xxh3-128 over the first 8 + L bytes of the file
// and the tables region, including shard.crc32c.
[[nodiscard]] std::string shard_digest(std::span<const std::byte> header,
                                       std::span<const std::byte> tables);

}  // namespace hotpack::format
