// One shard of a packed data set, memory-mapped, and the samples in it.
//
// Ownership: a Shard owns its mapping; a Sample and every view it gives borrow from the Shard and must not outlive it. Moving a Shard
// leaves them valid. Thread-safety: all const members may be called from several threads at once.
// Failure: `io` when the file cannot be opened, `damaged` (with path and byte offset) when it breaks the format or a checksum, `usage`
// for a sample that does not exist, a buffer that is too small, or a zero-copy view of a compressed record.
// The file may be hostile: everything is validated before a pointer is formed, and each record's range again when it is read. It must
// not shrink while mapped: an access beyond its end is SIGBUS, or an error of read_image() and read_label() once a Loader maps files.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"

namespace hotpack {

namespace reader {
class DatasetFiles;
class ShardFile;
}  // namespace reader

/// When a record's CRC-32C is checked; that costs about one pass over its bytes at memory speed.
enum class VerifyChecksums {
  always,      ///< at every read
  first_read,  ///< at the record's first read by a Loader; a Sample keeps no account of reads and checks every time
  never,
};

struct ImageShape {
  std::int64_t height = 0;  ///< pixels
  std::int64_t width = 0;
  std::int64_t channels = 3;  ///< 3: RGB, 1: gray
  AxisOrder layout = AxisOrder::channels_last;
  [[nodiscard]] std::uint64_t size_bytes() const {
    return static_cast<std::uint64_t>(height) * static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(channels);
  }
  bool operator==(const ImageShape&) const = default;
};

struct ImageView {
  std::span<const std::uint8_t> bytes;  ///< shape.size_bytes() samples, [height,width,channels] or [channels,height,width]
  ImageShape shape;
};

/// How a label is stored. A label of the whole image (scope `image`) is one vector or id: height = width = 1.
struct LabelShape {
  LabelScope scope = LabelScope::pixel;
  LabelStorage storage = LabelStorage::bits;
  bool multi = false;  ///< a pixel may hold several classes
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::size_t class_count = 0;
  [[nodiscard]] std::uint64_t vectors() const { return static_cast<std::uint64_t>(height) * static_cast<std::uint64_t>(width); }
  /// Bytes of one vector: ceil(C/8) for bits, C for one_hot; index: 1, above 255 classes 2 (little-endian).
  [[nodiscard]] std::size_t vector_bytes() const {
    if (storage == LabelStorage::bits) return (class_count + 7) / 8;
    if (storage == LabelStorage::one_hot) return class_count;
    return class_count <= 255 ? 1 : 2;
  }
  [[nodiscard]] std::uint64_t size_bytes() const { return vectors() * vector_bytes(); }
  bool operator==(const LabelShape&) const = default;
};

struct LabelView {
  std::span<const std::uint8_t> bytes;  ///< shape.size_bytes() bytes, rows from the top, one vector per pixel
  LabelShape shape;
};

/// Where a sample came from.
struct SampleSource {
  std::int64_t width = 0;  ///< of the source image after its orientation was applied
  std::int64_t height = 0;
  std::uint64_t image_hash = 0;  ///< XXH3-64 of the image file's bytes
  std::uint64_t label_hash = 0;  ///< of the label file's, 0 if there is none
  std::array<std::int64_t, 4>
      region{};  ///< x, y, width, height in the record of the rectangle the whole source is mapped to; may lie
                 ///< partly outside. record = region.x + source · region.width / width, so predictions can be mapped back
};

/// One sample of a shard: cheap to copy, a view like std::string_view.
class Sample {
 public:
  [[nodiscard]] std::string_view key() const { return key_; }
  [[nodiscard]] SampleSource source() const;
  [[nodiscard]] ImageShape image_shape() const { return image_shape_; }
  [[nodiscard]] LabelShape label_shape() const { return label_shape_; }  ///< class_count 0 when unlabelled
  [[nodiscard]] bool has_label() const;

  /// Zero-copy: the record's bytes in the mapped file. Code `usage` when the field is compressed, or there is no label.
  [[nodiscard]] Result<ImageView> image(VerifyChecksums verify = VerifyChecksums::always) const;
  [[nodiscard]] Result<LabelView> label(VerifyChecksums verify = VerifyChecksums::always) const;

  /// The record's bytes in the caller's buffer, decompressed where they are stored compressed: the form that works for every pack.
  /// `into` has at least image_shape().size_bytes() (label_shape().size_bytes()) bytes; the view returned is into it. With `always` a
  /// compressed record's frame and its content are both checked.
  [[nodiscard]] Result<ImageView> read_image(std::span<std::uint8_t> into, VerifyChecksums verify = VerifyChecksums::always) const;
  [[nodiscard]] Result<LabelView> read_label(std::span<std::uint8_t> into, VerifyChecksums verify = VerifyChecksums::always) const;

  /// The cheapest of both: in the mapped file where the record is not compressed, else in `scratch`. `scratch` grows only once the frame
  /// has passed its checks, so a hostile file cannot ask for memory; the view lives as long as the shard and as `scratch` is left alone.
  [[nodiscard]] Result<ImageView> load_image(std::vector<std::uint8_t>& scratch, VerifyChecksums verify = VerifyChecksums::always) const;
  [[nodiscard]] Result<LabelView> load_label(std::vector<std::uint8_t>& scratch, VerifyChecksums verify = VerifyChecksums::always) const;

 private:
  friend class Shard;
  Sample(const reader::ShardFile* file, std::uint64_t index) : file_(file), index_(index) {}
  Status look_up();
  const reader::ShardFile* file_;
  std::uint64_t index_;
  std::string_view key_;
  ImageShape image_shape_;
  LabelShape label_shape_;
};

class Shard {
 public:
  /// Maps the file and checks its header, its tables and their checksums: O(records), never the payload.
  [[nodiscard]] static Result<Shard> open(const std::string& path);
  ~Shard();
  Shard(Shard&&) noexcept;
  Shard& operator=(Shard&&) noexcept;

  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] const Schema& schema() const;
  [[nodiscard]] std::string_view schema_text() const;
  [[nodiscard]] std::uint64_t records() const;
  [[nodiscard]] std::uint64_t size_bytes() const;  ///< of the file
  [[nodiscard]] bool image_compressed() const;
  [[nodiscard]] bool label_compressed() const;
  /// Whether payload starts on pages and tables on multiples of their items, as a writer of hotpack leaves them. Reading works without.
  [[nodiscard]] bool aligned() const;

  [[nodiscard]] Result<Sample> sample(std::uint64_t index) const;  ///< 0 … records() − 1

 private:
  friend class Dataset;
  friend class reader::DatasetFiles;
  explicit Shard(std::unique_ptr<const reader::ShardFile> file);
  std::unique_ptr<const reader::ShardFile> file_;
};

}  // namespace hotpack
