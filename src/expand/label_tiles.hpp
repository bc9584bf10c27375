// Expands labels tile by tile. A tile is a run of a few thousand pixels; their vectors, bits and
// ids stay in the first-level cache until they become elements of the output.
//
// LabelPlan is a value, made once and shared by threads. A TileWriter belongs to one row of a batch
// on one thread, and borrows all its arguments. Neither allocates after construction, locks, or
// fails.
#pragma once

#include <cstddef>
#include <cstdint>

#include "expand/channel_shuffle.hpp"
#include "expand/label_kernels.hpp"
#include "hotpack/expand.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::expand {

// What is to be done with every tile, and how much memory that needs.
struct LabelPlan {
  LabelOutput output;  // with type and ignore_index filled in
  LabelStorage storage = LabelStorage::bits;
  std::size_t class_count = 0;
  // for lanes of 16 bytes; it has no channels if it would not help
  ChannelShuffle narrow_shuffle;
  ChannelShuffle wide_shuffle;  // for lanes of 64 bytes (AVX-512 VBMI); likewise

  [[nodiscard]] std::size_t vector_bytes() const;  // per stored pixel
  [[nodiscard]] std::size_t bit_bytes() const { return (class_count + 7) / 8; }
  [[nodiscard]] std::size_t channels() const;                       // of the output
  [[nodiscard]] std::size_t tile_pixels(std::size_t pixels) const;  // a multiple of 64
  [[nodiscard]] bool stored_ids() const { return storage == LabelStorage::index; }
  [[nodiscard]] bool wide_ids() const { return class_count > 255; }
  // True if every vector first gets a bit for the ignored channel, so that a shuffle can pick it.
  [[nodiscard]] bool marks_ignored() const {
    return !stored_ids() && output.ignore_channel && class_count < ChannelShuffle::kMostChannels;
  }
  // Returns true if ids become elements of the same size, which needs no buffers. A tile may then
  // be as large as the run of ids that are contiguous in memory.
  [[nodiscard]] bool keeps_ids() const {
    return stored_ids() && output.form == LabelForm::ids &&
           element_bytes(*output.dtype) == vector_bytes();
  }
};

// The buffers for the intermediate forms of a tile.
struct TileBuffers {
  std::uint8_t* packed = nullptr;     // one_hot vectors as bits
  std::uint8_t* marked = nullptr;     // vectors of bits, with a bit for the ignored channel
  std::uint8_t* plane = nullptr;      // one byte of each pixel's bits
  std::uint8_t* bits = nullptr;       // bits of one class, or of all channels
  std::uint8_t* seen = nullptr;       // one bit per pixel: 1 if it has a class
  std::uint8_t* ids = nullptr;        // ids of 1 or 2 bytes
  std::uint8_t* converted = nullptr;  // elements of forms index and bits

  // Divides `memory` into the buffers for tiles of `tile` pixels: sets the pointers. If `memory` is
  // null, only computes the size. Returns the number of bytes that the buffers take.
  std::size_t cut(const LabelPlan& plan, std::size_t tile, std::uint8_t* memory);
};

class TileWriter {
 public:
  // The writer writes into a row of `pixels` pixels at `out`.
  TileWriter(const LabelPlan& plan, const TileBuffers& buffers, std::size_t pixels, std::byte* out,
             Stores stores);

  // Expands `count` pixels, beginning with pixel `first` of the output, which must be a multiple of
  // 64. `vectors` are the stored vectors of these pixels.
  void write(const std::uint8_t* vectors, std::size_t first, std::size_t count);

 private:
  void write_planes(const std::uint8_t* vectors, std::size_t first, std::size_t count);
  void write_channels(const std::uint8_t* vectors, std::size_t first, std::size_t count);
  void write_bits(const std::uint8_t* vectors, std::size_t first, std::size_t count);
  void write_ids(const std::uint8_t* vectors, std::size_t first, std::size_t count);

  // Makes the bits of one class for `count` pixels. Call it for classes in ascending order.
  void class_bits(const std::uint8_t* vectors, std::size_t count, std::size_t id);
  // Returns the bits of all channels, pixel by pixel.
  [[nodiscard]] const std::uint8_t* channel_bits(const std::uint8_t* vectors, std::size_t count);
  // The same without a shuffle, from pixel `first` of a tile on.
  void channel_bits_from(std::size_t first, const std::uint8_t* vectors, std::size_t count);
  [[nodiscard]] const ChannelShuffle* shuffle() const;
  // Converts vectors with a byte per class to vectors with a bit per class.
  [[nodiscard]] const std::uint8_t* pack(const std::uint8_t* vectors, std::size_t count);
  void lowest_bits(const std::uint8_t* vectors, std::size_t count);
  void copy_out(const std::uint8_t* from, std::size_t bytes, std::size_t offset);

  const LabelPlan& plan_;
  const LabelKernels& kernels_;
  TileBuffers buffers_;
  std::size_t pixels_;
  std::byte* out_;
  Stores stores_;
};

}  // namespace hotpack::expand
