#include "pack/channel_sums.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

// Highway compiles the rest of this file once per vector instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pack/channel_sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hotpack::pipeline::HWY_NAMESPACE {
namespace hw = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
// Without vectors, the caller's loop adds all pixels.
std::size_t add_gray(const std::uint8_t*, std::size_t, format::Sums&) { return 0; }
std::size_t add_rgb(const std::uint8_t*, std::size_t, format::Sums&) { return 0; }
#else
using Bytes = hw::ScalableTag<std::uint8_t>;
using Words = hw::Repartition<std::int16_t, Bytes>;
using Doubles = hw::Repartition<std::int32_t, Bytes>;
using Quads = hw::Repartition<std::uint64_t, Bytes>;

// A lane of squares grows by at most 4 · 255² per vector of bytes, and has 31 bits.
constexpr std::size_t kVectorsPerFlush = 0x7FFFFFFF / (4 * 255 * 255);

// Adds `values` to the lanes of sums, and their squares to those of squares.
HWY_INLINE void add_values(hw::Vec<Bytes> values, hw::Vec<Quads>& sums, hw::Vec<Doubles>& squares,
                           hw::Vec<Doubles>& more_squares) {
  const auto zero = hw::Zero(Bytes());
  const auto low = hw::BitCast(Words(), hw::InterleaveLower(Bytes(), values, zero));
  const auto high = hw::BitCast(Words(), hw::InterleaveUpper(Bytes(), values, zero));
  sums = hw::Add(sums, hw::SumsOf8(values));
  squares = hw::ReorderWidenMulAccumulate(Doubles(), low, low, squares, more_squares);
  squares = hw::ReorderWidenMulAccumulate(Doubles(), high, high, squares, more_squares);
}

HWY_INLINE std::uint64_t total(hw::Vec<Quads> lanes) {
  return hw::GetLane(hw::SumOfLanes(Quads(), lanes));
}
HWY_INLINE std::uint64_t total(hw::Vec<Doubles> lanes) {
  const auto pairs = hw::BitCast(Quads(), lanes);
  return total(hw::Add(hw::ShiftRight<32>(pairs), hw::And(pairs, hw::Set(Quads(), 0xFFFFFFFF))));
}

// Adds whole vectors of pixels and returns how many pixels that were.
std::size_t add_gray(const std::uint8_t* row, std::size_t pixels, format::Sums& sums) {
  const std::size_t step = hw::Lanes(Bytes());
  std::size_t at = 0;
  while (at + step <= pixels) {
    auto sum = hw::Zero(Quads());
    auto squares = hw::Zero(Doubles()), more_squares = squares;
    for (std::size_t n = 0; n < kVectorsPerFlush && at + step <= pixels; ++n, at += step)
      add_values(hw::LoadU(Bytes(), row + at), sum, squares, more_squares);
    sums.channel_sums[0] += total(sum);
    sums.channel_squares[0] += total(squares) + total(more_squares);
  }
  return at;
}

std::size_t add_rgb(const std::uint8_t* row, std::size_t pixels, format::Sums& sums) {
  const std::size_t step = hw::Lanes(Bytes());
  std::size_t at = 0;
  while (at + step <= pixels) {
    auto red_sum = hw::Zero(Quads()), green_sum = red_sum, blue_sum = red_sum;
    auto red_squares = hw::Zero(Doubles()), green_squares = red_squares, blue_squares = red_squares,
         more_red = red_squares, more_green = red_squares, more_blue = red_squares;
    for (std::size_t n = 0; n < kVectorsPerFlush && at + step <= pixels; ++n, at += step) {
      auto red = hw::Zero(Bytes()), green = red, blue = red;
      hw::LoadInterleaved3(Bytes(), row + 3 * at, red, green, blue);
      add_values(red, red_sum, red_squares, more_red);
      add_values(green, green_sum, green_squares, more_green);
      add_values(blue, blue_sum, blue_squares, more_blue);
    }
    const std::array sum{total(red_sum), total(green_sum), total(blue_sum)};
    const std::array squares{total(red_squares) + total(more_red),
                             total(green_squares) + total(more_green),
                             total(blue_squares) + total(more_blue)};
    for (std::size_t c = 0; c < 3; ++c) {
      sums.channel_sums[c] += sum[c];
      sums.channel_squares[c] += squares[c];
    }
  }
  return at;
}
#endif

void add_row(const std::uint8_t* row, std::size_t pixels, std::size_t channels,
             format::Sums& sums) {
  const std::size_t done = channels == 1 ? add_gray(row, pixels, sums) : add_rgb(row, pixels, sums);
  for (std::size_t at = done * channels; at < pixels * channels; ++at) {
    const std::uint64_t value = row[at];
    sums.channel_sums[at % channels] += value;
    sums.channel_squares[at % channels] += value * value;
  }
}

}  // namespace hotpack::pipeline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hotpack::pipeline {

HWY_EXPORT(add_row);

void add_channel_sums(ConstPixels record, Region region, format::Sums& sums) {
  const int left = std::max(region.x, 0), right = std::min(region.x + region.width, record.width);
  const int top = std::max(region.y, 0), bottom = std::min(region.y + region.height, record.height);
  if (left >= right || top >= bottom) return;
  const auto channels = static_cast<std::size_t>(record.channels);
  for (int y = top; y < bottom; ++y) HWY_DYNAMIC_DISPATCH(add_row)
  (record.row(y) + static_cast<std::size_t>(left) * channels,
   static_cast<std::size_t>(right - left), channels, sums);
  sums.pixels_counted +=
      static_cast<std::uint64_t>(right - left) * static_cast<std::uint64_t>(bottom - top);
}

}  // namespace hotpack::pipeline
#endif
