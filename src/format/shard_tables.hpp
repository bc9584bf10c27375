// Builds the tables region of a shard from what is known record by record.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/shard_layout.hpp"
#include "format/sums.hpp"

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

// The bytes from the start of the tables region to the end of the file, `shard.crc32c` included (which needs the header bytes
// [0, 8+L)). Precondition: `layout` was planned for these entries.
[[nodiscard]] std::vector<std::byte> encode_tables(const Schema& schema, const Layout& layout, const std::vector<RecordEntry>& entries,
                                                   const Sums& sums, std::string_view header);

// digest of the manifest: xxh3-128 over the header bytes [0, 8+L) and the tables region with shard.crc32c.
[[nodiscard]] std::string shard_digest(std::span<const std::byte> header, std::span<const std::byte> tables);

}  // namespace hotpack::format
