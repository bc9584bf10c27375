// The rows of image kernels: they find the pixels of a batch in packed records, and convert them.
//
// The result equals that of expand::ImageExpander bit for bit. Precondition: a window that is not
// resampled is no larger than the output.
#pragma once

#include "device/kernels/portable.hpp"
#include "expand/half.hpp"

namespace hotpack::device {

// The types of output elements: of(value) rounds a single, which is not a NaN, to nearest even.
struct AsU8 {
  using Bits = std::uint8_t;
};
struct AsF32 {
  using Bits = std::uint32_t;
  HOTPACK_DEVICE static Bits of(float value) { return __builtin_bit_cast(Bits, value); }
};
struct AsF16 {
  using Bits = std::uint16_t;
  HOTPACK_DEVICE static Bits of(float value) {
#if defined(__CUDA_ARCH__)
    Bits half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
#else
    return expand::half_bits(value);
#endif
  }
};
struct AsBf16 {
  using Bits = std::uint16_t;
  HOTPACK_DEVICE static Bits of(float value) {
    const auto bits = __builtin_bit_cast(std::uint32_t, value);
    return static_cast<Bits>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
  }
};

// Returns a better approximation of a / b.
HOTPACK_DEVICE float corrected(float quotient, float a, float b, float reciprocal) {
  return std::fma(std::fma(-quotient, b, a), reciprocal, quotient);
}

// (float(x) / 255 − mean) / std, each step rounded, by reciprocals and one correction. That is
// exact for every byte; for deviations that are not tiny too, and FieldLaunch::image refuses
// others.
HOTPACK_DEVICE float normalized(std::uint32_t byte, float mean, float std, float reciprocal) {
  // the last bits of 2^23 + byte are the byte
  const float value = __builtin_bit_cast(float, byte | 0x4B000000U) - 8388608.0f;
  constexpr float kPart = 1.0f / 255.0f;
  const float centered = corrected(value * kPart, value, 255.0f, kPart) - mean;
  return corrected(centered * reciprocal, centered, std, reciprocal);
}

// A word has the bytes of a pixel, the first channel lowest.
template <class Element>
class ImageRow {
 public:
  using T = typename Element::Bits;
  static constexpr std::uint32_t kPerWord = 3;

  HOTPACK_DEVICE ImageRow(const KernelArgs& args, const RowEntry& row)
      : args_(args),
        row_(row),
        pixel_bytes_(args.source_planes != 0 ? 1 : args.channels),
        line_bytes_(std::int64_t{row.record_width} * pixel_bytes_),
        plane_bytes_(args.source_planes != 0 ? line_bytes_ * row.record_height : 1),
        window_(args.records + row.image + row.y * line_bytes_ + row.x * pixel_bytes_) {}

  HOTPACK_DEVICE bool is_blank() const { return (row_.flags & kRowValid) == 0; }

  HOTPACK_DEVICE T element(std::uint32_t word, std::uint32_t c) const {
    const std::uint32_t byte = word >> 8 * c & 0xFF;
    const auto pick = [c](const float(&of)[3]) { return c == 0 ? of[0] : c == 1 ? of[1] : of[2]; };
    if constexpr (sizeof(T) == 1) {
      return static_cast<T>(byte);
    } else {
      return Element::of(
          normalized(byte, pick(args_.mean), pick(args_.std), pick(args_.reciprocal)));
    }
  }

  template <std::size_t kPixels>
  HOTPACK_DEVICE bool load_plain(std::uint32_t (&words)[kPixels], std::uint64_t pixel,
                                 std::uint32_t /*first*/) const {
    if (args_.source_planes != 0 || !is_plain<kPixels>(args_, row_, row_.image)) return false;
    const std::uint8_t* const from =
        args_.records + row_.image + pixel * static_cast<std::uint32_t>(args_.channels);
    if (args_.channels == 1) {
      const auto bytes = load_bytes<kPixels>(from);
      HOTPACK_UNROLL for (std::size_t i = 0; i < kPixels; ++i) words[i] = bytes[i];
    } else {
      const auto bytes = load_bytes<3 * kPixels>(from);
      HOTPACK_UNROLL for (std::size_t i = 0; i < kPixels; ++i) words[i] =
          bytes[3 * i] | bytes[3 * i + 1] << 8 | bytes[3 * i + 2] << 16;
    }
    return true;
  }

  HOTPACK_DEVICE std::uint32_t word(std::int32_t x, std::int32_t y, std::uint32_t /*first*/) const {
    if (is_blank() || y >= args_.height) return 0;
    if ((row_.flags & kRowFlipHorizontal) != 0) x = args_.width - 1 - x;
    if ((row_.flags & kRowFlipVertical) != 0) y = args_.height - 1 - y;
    const bool same = row_.width == args_.width && row_.height == args_.height;
    if ((row_.flags & kRowResample) != 0 && !same) return resampled(x, y);
    if (x >= row_.width || y >= row_.height) return 0;
    const std::uint8_t* const from = at(x, y);
    return joined([from](std::int64_t c) { return std::uint32_t{from[c]}; });
  }

 private:
  // A pixel of a window along one axis, the next one, and their weights of 2048 together.
  struct Position {
    std::int32_t first, second, first_weight, second_weight;
  };

  HOTPACK_DEVICE const std::uint8_t* at(std::int32_t x, std::int32_t y) const {
    return window_ + y * line_bytes_ + x * pixel_bytes_;
  }

  template <class Value>
  HOTPACK_DEVICE std::uint32_t joined(const Value& value) const {
    const std::uint32_t first = value(std::int64_t{0});
    if (args_.channels == 1) return first;
    return first | value(plane_bytes_) << 8 | value(2 * plane_bytes_) << 16;
  }

  // The mean of four pixels if both sides are halved. Otherwise linear interpolation in fixed
  // point: first horizontally, then vertically. A horizontal sum has 16 bits: it is at most
  // 255 · 2048 / 16.
  HOTPACK_DEVICE std::uint32_t resampled(std::int32_t x, std::int32_t y) const {
    const bool halves = row_.width == 2 * std::int64_t{args_.width} &&
                        row_.height == 2 * std::int64_t{args_.height};
    Position across = {2 * x, 2 * x + 1, 1, 1}, down = {2 * y, 2 * y + 1, 0, 0};
    if (!halves) {
      across = position_of(x, args_.width, row_.width);
      down = position_of(y, args_.height, row_.height);
      if (across.first < 0 || across.second >= row_.width) {
        const std::int32_t edge = across.first < 0 ? 0 : row_.width - 1;
        across = {edge, edge, 2048, 0};
      }
      down.first = down.first < 0 ? 0 : down.first;
      down.second = down.second < row_.height ? down.second : row_.height - 1;
    }
    const std::uint8_t *const upper = at(0, down.first), *const lower = at(0, down.second);
    const std::int64_t first = across.first * pixel_bytes_, second = across.second * pixel_bytes_;
    return joined([&](std::int64_t c) {
      const auto sum = [&](const std::uint8_t* line) {
        return line[first + c] * across.first_weight + line[second + c] * across.second_weight;
      };
      const std::int32_t above = sum(upper), below = sum(lower);
      const std::int32_t whole = halves ? above + below
                                        : (down.first_weight * (above >> 4) >> 16) +
                                              (down.second_weight * (below >> 4) >> 16);
      return static_cast<std::uint32_t>(whole + 2) >> 2;
    });
  }

  HOTPACK_DEVICE static Position position_of(std::int32_t i, std::int32_t target,
                                             std::int32_t source) {
    const double scale = 1.0 / (static_cast<double>(target) / static_cast<double>(source));
    const auto at = static_cast<float>((static_cast<double>(i) + 0.5) * scale - 0.5);
    const float floor = std::floor(at);
    const auto first = static_cast<std::int32_t>(floor);
    return {first, first + 1, weight_of(1.0f - (at - floor)), weight_of(at - floor)};
  }

  // fraction · 2048, rounded to nearest even: the sum has no bits for fractions.
  HOTPACK_DEVICE static std::int32_t weight_of(float fraction) {
    return __builtin_bit_cast(std::int32_t, fraction * 2048.0f + 12582912.0f) - 0x4B400000;
  }

  const KernelArgs& args_;
  const RowEntry& row_;
  std::int64_t pixel_bytes_, line_bytes_, plane_bytes_;  // plane: from one channel to the next
  const std::uint8_t* window_;
};

}  // namespace hotpack::device
