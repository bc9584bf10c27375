// Small packs in every form of the format, made from records in memory in the plainest way, for
// tests of `format` and `reader`.
//
// The pixels are a function of the record's number, so two calls give the same bytes. Nothing
// here uses the writer room.
// Plain values; not thread-safe. Failure throws std::logic_error: a test that cannot make its
// input is wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fit.hpp"
#include "format/manifest.hpp"
#include "format/shard_layout.hpp"
#include "format/sums.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::test {

// The form of a pack. The defaults give 6×5 RGB pixels and three classes per pixel as bits.
struct TinyForm {
  AxisOrder layout = AxisOrder::channels_last;
  ImageColor color = ImageColor::rgb;
  bool labeled = true;
  LabelScope scope = LabelScope::pixel;
  LabelStorage storage = LabelStorage::bits;
  bool multi = false;
  int classes = 3;
  std::optional<Extent> size = Extent{6, 5};  // absent: records of different sizes
  bool image_zstd = false;
  bool label_zstd = false;
  bool later = false;  // a shard of version 1.1: a payload field `depth`, a table, keys in metadata
                       // and schema that 1.0 does not know
};

// One sample, unencoded.
struct TinyRecord {
  std::string key;
  Extent size;                      // of the record
  std::vector<std::uint8_t> image;  // height × width × channels, interleaved
  std::vector<std::vector<std::uint16_t>>
      labels;  // the classes of each pixel (none: ignored); one element for a whole-image label
  Extent source;
  Region region;
};

struct TinyShard {
  std::vector<std::byte> bytes;
  format::Metadata metadata;
  format::Layout layout;
  format::Sums sums;
};

// Class c has source c; class 1 has no color; 255 is ignored. Shapes are filled in.
[[nodiscard]] Schema tiny_schema(const TinyForm& form);
// Samples number `first` … `first + count − 1`, in the order of their keys.
[[nodiscard]] std::vector<TinyRecord> tiny_records(const TinyForm& form, std::size_t count,
                                                   std::size_t first = 0);

// A record's bytes as stored, uncompressed.
[[nodiscard]] std::vector<std::byte> stored_image(const TinyForm& form, const TinyRecord& record);
[[nodiscard]] std::vector<std::byte> stored_label(const TinyForm& form, const TinyRecord& record);
// for form.later: U16 [H,W]
[[nodiscard]] std::vector<std::byte> stored_depth(const TinyRecord& record);

// The plan of a pack of these records; `skipped` more samples come last.
[[nodiscard]] format::PlanIdentity tiny_plan(const std::vector<TinyRecord>& records,
                                             std::uint64_t shards = 1, std::uint64_t skipped = 0);
// One shard's file. `skipped` samples of the plan are missing at its end.
[[nodiscard]] TinyShard make_shard(const TinyForm& form, const std::vector<TinyRecord>& records,
                                   const format::PlanIdentity& plan, std::uint64_t skipped = 0);
[[nodiscard]] TinyShard make_shard(const TinyForm& form, std::size_t records = 3);

// Writes shards of `per_shard` records (the last one shorter, `skipped` samples missing at its end)
// and the manifest into an existing folder.
format::Manifest write_pack(const std::string& folder, const TinyForm& form,
                            const std::vector<TinyRecord>& records, std::size_t per_shard,
                            std::uint64_t skipped = 0);
// Writes a pack of many records, with a thread and a shard in memory for each core.
void write_large_pack(const std::string& folder, const TinyForm& form, std::size_t count,
                      std::size_t per_shard);

}  // namespace hotpack::test
