// One memory-mapped shard of a packed data set, and its samples.
//
// Ownership: a Shard owns its mapping. Samples and their views borrow from it and must not
// outlive it; moving the Shard leaves them valid. Samples of a Dataset: see dataset.hpp.
// Thread-safety: several threads may call all const members at once.
// Failure: `io` if the file cannot be opened; `damaged`, with path and byte offset, if it breaks
// the format or a checksum; `usage` for a sample that does not exist, a buffer that is too small,
// or a zero-copy view of a compressed record.
// The file may be hostile: hotpack validates everything before it forms a pointer, and each
// record's range again when it reads the record.
// A shard that shrinks, or a disk that fails, is an error too: mapping a shard installs a handler
// of SIGBUS, which turns a page that cannot be read into an error while hotpack itself reads
// (`damaged` or `io`, with path, record and offset), and passes every other SIGBUS to the handler
// that was there before. Every page of a view has been read before hotpack returns it. But a view
// that the program reads after its file was cut raises SIGBUS; copies do not.
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
class RecordFlags;
class ShardFile;
}  // namespace reader

/// When to check the CRC-32C of a record. Each check reads the whole record once, at about the
/// speed of memory.
// <api: cpp enum verify_checksums>
/// When to check the CRC-32C of a record.
enum class VerifyChecksums {
  /// at the first read in this process
  first_read,
  /// at every read
  always,
  /// not at all
  never,
};
// </api>

// <api: cpp enum access>
/// Ways to read records.
enum class FileAccess {
  /// from mapped shards; a SIGBUS handler turns a failing disk into an error
  map,
  /// with system calls only: slower, but without a signal handler
  read,
};
// </api>

struct ImageShape {
  std::int64_t height = 0;  ///< pixels
  std::int64_t width = 0;
  std::int64_t channels = 3;  ///< 3: RGB, 1: gray
  AxisOrder layout = AxisOrder::channels_last;
  [[nodiscard]] std::uint64_t size_bytes() const {
    return static_cast<std::uint64_t>(height) * static_cast<std::uint64_t>(width) *
           static_cast<std::uint64_t>(channels);
  }
  bool operator==(const ImageShape&) const = default;
};

struct ImageView {
  std::span<const std::uint8_t> bytes;  ///< [height,width,channels] or [channels,height,width]
  ImageShape shape;
};

/// The form of a stored label: height · width vectors, one per pixel. A label of the whole image
/// (scope `image`) is a single vector or id, so height = width = 1.
struct LabelShape {
  LabelScope scope = LabelScope::pixel;
  LabelStorage storage = LabelStorage::bits;
  bool multi = false;  ///< a pixel may hold several classes
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::size_t class_count = 0;
  [[nodiscard]] std::uint64_t vectors() const {
    return static_cast<std::uint64_t>(height) * static_cast<std::uint64_t>(width);
  }
  /// Bytes per vector with C classes: ⌈C/8⌉ in storage bits; C in one_hot; in index 1, or 2
  /// (little-endian) if there are more than 255 classes.
  [[nodiscard]] std::size_t vector_bytes() const {
    if (storage == LabelStorage::bits) return (class_count + 7) / 8;
    if (storage == LabelStorage::one_hot) return class_count;
    return class_count <= 255 ? 1 : 2;
  }
  [[nodiscard]] std::uint64_t size_bytes() const { return vectors() * vector_bytes(); }
  bool operator==(const LabelShape&) const = default;
};

struct LabelView {
  std::span<const std::uint8_t> bytes;  ///< one vector per pixel, rows from the top
  LabelShape shape;
};

/// The files that a sample was made from.
struct SampleSource {
  std::int64_t width = 0;  ///< the source image's size, after its orientation was applied
  std::int64_t height = 0;
  std::uint64_t image_hash = 0;  ///< XXH3-64 of the image file's bytes
  std::uint64_t label_hash = 0;  ///< XXH3-64 of the label file's bytes, 0 without a label
  /// x, y, width and height of the rectangle that the whole source image occupies in the record, in
  /// pixels. It may extend beyond the record. To map predictions back: x_record = region.x +
  /// x_source · region.width / width, and the same for y.
  std::array<std::int64_t, 4> region{};
};

/// One sample of a shard: a view, cheap to copy like std::string_view.
class Sample {
 public:
  [[nodiscard]] std::string_view key() const { return key_; }  ///< a view of the mapped file
  [[nodiscard]] Result<std::string> copied_key() const;
  [[nodiscard]] SampleSource source() const { return source_; }
  [[nodiscard]] ImageShape image_shape() const { return image_shape_; }
  /// class_count 0 without a label
  [[nodiscard]] LabelShape label_shape() const { return label_shape_; }
  [[nodiscard]] bool has_label() const;

  /// Reads the image; works for every pack. If the record is stored uncompressed, the view points
  /// into the mapped file and nothing is copied. If it is compressed, it is decompressed into
  /// `scratch`, which grows as needed, but never beyond what the record needs, even if the file is
  /// hostile. The view is valid as long as the shard, and until `scratch` changes. In a Dataset of
  /// very many shards, the shard lives as long as a Sample of it (dataset.hpp).
  [[nodiscard]] Result<ImageView> load_image(
      std::vector<std::uint8_t>& scratch, VerifyChecksums verify = VerifyChecksums::always) const;
  [[nodiscard]] Result<LabelView> load_label(
      std::vector<std::uint8_t>& scratch, VerifyChecksums verify = VerifyChecksums::always) const;

  /// As load_image() and load_label(), but always copies to `scratch`: the view does not point into
  /// the file.
  [[nodiscard]] Result<ImageView> copy_image(
      std::vector<std::uint8_t>& scratch, VerifyChecksums verify = VerifyChecksums::always) const;
  [[nodiscard]] Result<LabelView> copy_label(
      std::vector<std::uint8_t>& scratch, VerifyChecksums verify = VerifyChecksums::always) const;

  /// Copies the image into the caller's memory, which must have at least image_shape().size_bytes()
  /// bytes; for read_label() label_shape().size_bytes(). With `always`, checks both the compressed
  /// bytes and the content of a compressed record.
  [[nodiscard]] Result<ImageView> read_image(
      std::span<std::uint8_t> into, VerifyChecksums verify = VerifyChecksums::always) const;
  [[nodiscard]] Result<LabelView> read_label(
      std::span<std::uint8_t> into, VerifyChecksums verify = VerifyChecksums::always) const;

  /// The record in the mapped file. Code `usage` if records are compressed or there is no label.
  [[nodiscard]] Result<ImageView> image(VerifyChecksums verify = VerifyChecksums::always) const;
  [[nodiscard]] Result<LabelView> label(VerifyChecksums verify = VerifyChecksums::always) const;

 private:
  friend class Dataset;
  friend class Shard;
  enum class Part { image, label };
  Sample(const reader::ShardFile* file, std::uint64_t index) : file_(file), index_(index) {}
  Status look_up();
  [[nodiscard]] VerifyChecksums due(Part part, VerifyChecksums verify) const;
  template <class Read>
  [[nodiscard]] Result<std::span<const std::uint8_t>> checked(Part part, VerifyChecksums verify,
                                                              Read read) const;
  const reader::ShardFile* file_;
  std::uint64_t index_;
  reader::RecordFlags* flags_ = nullptr;  // the Dataset's; null for a Shard's own samples
  std::shared_ptr<const void> hold_;      // keeps the shard mapped; null: its owner does
  std::string_view key_;
  SampleSource source_;
  ImageShape image_shape_;
  LabelShape label_shape_;
};

class Shard {
 public:
  /// Maps the file and checks its header, its tables and the checksums of both. Takes time in
  /// proportion to the number of records; does not read the records.
  [[nodiscard]] static Result<Shard> open(const std::string& path);
  ~Shard();
  Shard(Shard&&) noexcept;
  Shard& operator=(Shard&&) noexcept;

  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] const Schema& schema() const;
  [[nodiscard]] std::string_view schema_text() const;
  [[nodiscard]] std::uint64_t records() const;
  [[nodiscard]] std::uint64_t size_bytes() const;  ///< the file's size
  [[nodiscard]] bool image_compressed() const;
  [[nodiscard]] bool label_compressed() const;
  /// True if the records start on a page and every table at a multiple of its item size. hotpack
  /// writes shards in this way, but shards that are not aligned can be read too.
  [[nodiscard]] bool aligned() const;

  [[nodiscard]] Result<Sample> sample(std::uint64_t index) const;  ///< 0 … records() − 1

 private:
  friend class Dataset;
  friend class reader::DatasetFiles;
  explicit Shard(std::unique_ptr<const reader::ShardFile> file);
  std::unique_ptr<const reader::ShardFile> file_;
};

}  // namespace hotpack
