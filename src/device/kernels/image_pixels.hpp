// Computes single pixels of a batch row whose window is resampled and perhaps flipped, as
// expand::PlacedRows does.
//
// For host and device. A pixel is a word that contains its bytes; the first channel is the lowest
// byte.
#pragma once

#include <cmath>
#include <cstdint>

#include "device/kernels/image_args.hpp"
#include "device/kernels/image_bytes.hpp"
#include "device/kernels/image_window.hpp"
#include "device/kernels/portable.hpp"

namespace hotpack::device::image {

// The next classes are sources: they compute pixels of the output before it is flipped. Call
// line(y), then pixel(x) for pixels of that line. kUnroll is the number of pixels that loops
// process at the same time. It is 1 here, because each pixel needs many loads already; more would
// only need more registers.

// Halves both axes: each pixel is the mean of four.
template <int kChannels>
class Halved {
 public:
  static constexpr int kUnroll = 1;

  HOTPACK_HOST_DEVICE explicit Halved(const ImageArgs& /*args*/, const Window& window)
      : window_(window) {}

  HOTPACK_HOST_DEVICE void line(std::int32_t y) {
    line_ = window_.data + 2 * (y * window_.line_bytes);
  }
  HOTPACK_HOST_DEVICE std::uint32_t pixel(std::int32_t x) const {
    const std::uint8_t* from = line_ + 2 * (std::int64_t{x} * window_.pixel_bytes);
    std::uint32_t bytes = 0;
    HOTPACK_UNROLL
    for (int c = 0; c < kChannels; ++c, from += window_.plane_bytes) {
      const std::uint8_t* const lower = from + window_.line_bytes;
      const std::uint32_t sum = load_byte(from) + load_byte(from + window_.pixel_bytes) +
                                load_byte(lower) + load_byte(lower + window_.pixel_bytes);
      bytes |= (sum + 2) / 4 << 8 * c;
    }
    return bytes;
  }

 private:
  Window window_;
  const std::uint8_t* line_ = nullptr;
};

// The position of an output pixel along one axis of the window.
struct Position {
  std::int32_t floor;
  float fraction;
};

HOTPACK_HOST_DEVICE inline double scale_of(std::int32_t source, std::int32_t target) {
  return 1.0 / (static_cast<double>(target) / static_cast<double>(source));
}

HOTPACK_HOST_DEVICE inline Position position_of(std::int32_t i, double scale) {
  const auto at = static_cast<float>((static_cast<double>(i) + 0.5) * scale - 0.5);
  const float floor = std::floor(at);
  return {static_cast<std::int32_t>(floor), at - floor};
}

// Returns fraction · 2048, rounded to the nearest integer, half to even. Adding 1.5 · 2^23 does the
// rounding, because the sum has no bits for fractions.
HOTPACK_HOST_DEVICE inline std::int32_t weight_of(float fraction) {
  return static_cast<std::int32_t>(bits_of(fraction * 2048.0f + 12582912.0f) - 0x4B400000);
}

HOTPACK_HOST_DEVICE inline std::int32_t within(std::int32_t value, std::int32_t last) {
  return value < 0 ? 0 : value > last ? last : value;
}

// Linear interpolation in fixed point: first horizontally, then vertically. A horizontal sum fits
// 16 bits, because it is at most 255 · 2048 / 16.
template <int kChannels>
class Linear {
 public:
  static constexpr int kUnroll = 1;

  HOTPACK_HOST_DEVICE explicit Linear(const ImageArgs& args, const Window& window)
      : window_(window),
        across_(scale_of(window.width, args.width)),
        down_(scale_of(window.height, args.height)) {}

  HOTPACK_HOST_DEVICE void line(std::int32_t y) {
    const Position at = position_of(y, down_);
    const std::int32_t last = window_.height - 1;
    upper_ = window_.data + within(at.floor, last) * window_.line_bytes;
    lower_ = window_.data + within(at.floor + 1, last) * window_.line_bytes;
    upper_weight_ = weight_of(1.0f - at.fraction);
    lower_weight_ = weight_of(at.fraction);
  }

  HOTPACK_HOST_DEVICE std::uint32_t pixel(std::int32_t x) const {
    Position at = position_of(x, across_);
    const std::int32_t last = window_.width - 1;
    if (at.floor < 0 || at.floor >= last) at = {at.floor < 0 ? 0 : last, 0.0f};
    const std::int32_t first_weight = weight_of(1.0f - at.fraction),
                       second_weight = weight_of(at.fraction);
    std::int64_t first = std::int64_t{at.floor} * window_.pixel_bytes;
    std::int64_t second = second_weight != 0 ? first + window_.pixel_bytes : first;
    std::uint32_t bytes = 0;
    HOTPACK_UNROLL
    for (int c = 0; c < kChannels;
         ++c, first += window_.plane_bytes, second += window_.plane_bytes) {
      const std::int32_t upper = sum(upper_ + first, first_weight, upper_ + second, second_weight);
      const std::int32_t lower = sum(lower_ + first, first_weight, lower_ + second, second_weight);
      const std::int32_t value =
          ((upper_weight_ * upper >> 16) + (lower_weight_ * lower >> 16) + 2) >> 2;
      bytes |= static_cast<std::uint32_t>(value) << 8 * c;
    }
    return bytes;
  }

 private:
  HOTPACK_HOST_DEVICE static std::int32_t sum(const std::uint8_t* first, std::int32_t first_weight,
                                              const std::uint8_t* second,
                                              std::int32_t second_weight) {
    return (static_cast<std::int32_t>(load_byte(first)) * first_weight +
            static_cast<std::int32_t>(load_byte(second)) * second_weight) >>
           4;
  }

  Window window_;
  double across_;
  double down_;
  const std::uint8_t* upper_ = nullptr;
  const std::uint8_t* lower_ = nullptr;
  std::int32_t upper_weight_ = 0;
  std::int32_t lower_weight_ = 0;
};

// Returns the pixels of an output in order, from any pixel on.
template <class Source>
class Walk {
 public:
  HOTPACK_HOST_DEVICE Walk(const ImageArgs& args, const RowEntry& entry, const Window& window)
      : source_(args, window),
        width_(args.width),
        height_(args.height),
        flip_horizontal_((entry.flags & kRowFlipHorizontal) != 0),
        flip_vertical_((entry.flags & kRowFlipVertical) != 0) {}

  // Precondition: the output has this pixel.
  HOTPACK_HOST_DEVICE void seek(std::uint64_t pixel) {
    const std::uint64_t y = quotient_of(pixel, static_cast<std::uint32_t>(width_));
    y_ = static_cast<std::int32_t>(y);
    x_ = static_cast<std::int32_t>(pixel - y * static_cast<std::uint32_t>(width_));
    start_line();
  }
  // Returns the next pixel. After the last pixel of the output, the result has no meaning.
  HOTPACK_HOST_DEVICE std::uint32_t next() {
    const std::uint32_t bytes = source_.pixel(flip_horizontal_ ? width_ - 1 - x_ : x_);
    if (++x_ == width_) {
      x_ = 0;
      if (++y_ < height_) start_line();
    }
    return bytes;
  }

 private:
  HOTPACK_HOST_DEVICE void start_line() { source_.line(flip_vertical_ ? height_ - 1 - y_ : y_); }

  Source source_;
  std::int32_t width_;
  std::int32_t height_;
  bool flip_horizontal_;
  bool flip_vertical_;
  std::int32_t x_ = 0;
  std::int32_t y_ = 0;
};

}  // namespace hotpack::device::image
