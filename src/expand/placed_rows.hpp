// Makes the rows of an output image from a record, in bytes: crops them, pads or resamples them,
// and flips them. The order of the channels stays that of the record.
//
// Ownership: uses the caller's memory, and reads the record, while it lives. Not thread-safe. Does
// not fail or allocate.
#pragma once

#include <cstddef>
#include <cstdint>

#include "expand/image_kernels.hpp"
#include "expand/linear_window.hpp"
#include "expand/placement.hpp"
#include "hotpack/shard.hpp"

namespace hotpack::expand {

// Consecutive pixels in memory. If channels are interleaved, or if there is only one channel,
// `data` points to the first pixel. If channels are planes, `data` points to the first pixel in the
// first plane, and the same pixel in the next plane is `plane` bytes further.
struct PixelRun {
  const std::uint8_t* data = nullptr;
  std::size_t plane = 0;
};

// True if the channels of an image are planes. A single channel counts as interleaved.
[[nodiscard]] inline bool in_planes(const ImageShape& shape) {
  return shape.channels > 1 && shape.layout == AxisOrder::channels_first;
}

class PlacedRows {
 public:
  // Returns how many bytes of `memory` the constructor needs for an output of `width` pixels per
  // row and `channels` channels.
  [[nodiscard]] static std::size_t memory_bytes(std::size_t width, std::size_t channels);

  // Preconditions: `memory` is aligned to 64 bytes; otherwise as ImageExpander::expand.
  PlacedRows(const ImageView& record, const Placement& placement, const ImageKernels& kernels,
             std::uint8_t* memory);

  // Returns row y of the output image, valid until the next call of row().
  [[nodiscard]] PixelRun row(std::size_t y);

 private:
  void start_resampling(std::uint8_t* memory);
  [[nodiscard]] PixelRun padded(std::size_t y);
  [[nodiscard]] PixelRun resampled(std::size_t y);
  [[nodiscard]] PixelRun mirrored(PixelRun row);
  [[nodiscard]] PixelRun built() const { return {built_, row_bytes_}; }

  const ImageKernels& kernels_;
  bool resample_ = false;
  bool flip_horizontal_ = false;
  bool flip_vertical_ = false;
  std::size_t planes_ = 1;       // of the record: 3 if channels are planes
  std::size_t pixel_bytes_ = 1;  // in one plane
  std::size_t width_ = 0;        // of the output
  std::size_t height_ = 0;
  std::size_t row_bytes_ = 0;    // of the output, in one plane
  Window box_;                   // of the first plane
  std::size_t plane_bytes_ = 0;  // of the record
  LinearWindow linear_[3];       // one per plane
  std::uint8_t* built_ = nullptr;
  std::uint8_t* mirrored_ = nullptr;
};

}  // namespace hotpack::expand
