#include "pack/channel_sums.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

// Highway compiles the rest of this file once per vector instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pack/channel_sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hotpack::pipeline::HWY_NAMESPACE {
namespace hw = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

void add_row(const std::uint8_t* row, std::size_t pixels, std::size_t channels,
             format::Sums& sums) {
  for (std::size_t at = 0; at < pixels * channels; ++at) {
    const std::uint64_t value = row[at];
    sums.channel_sums[at % channels] += value;
    sums.channel_squares[at % channels] += value * value;
  }
}

#else

using Bytes = hw::ScalableTag<std::uint8_t>;
using Words = hw::Repartition<std::int16_t, Bytes>;
using Doubles = hw::Repartition<std::int32_t, Bytes>;
using Quads = hw::Repartition<std::uint64_t, Bytes>;

// A vector of bytes adds at most 4 · 255² to a lane of squares, and a lane has 31 bits.
constexpr std::size_t kVectorsPerFlush = 0x7FFFFFFF / (4 * 255 * 255);

// Adds `values` to the lanes of `sums`, and their squares to `squares` and `more_squares`.
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

// Adds the pixels of `vectors` vectors. Precondition: `vectors` is at most kVectorsPerFlush.
HWY_INLINE void add_gray(const std::uint8_t* row, std::size_t vectors, format::Sums& sums) {
  auto sum = hw::Zero(Quads());
  auto squares = hw::Zero(Doubles()), more_squares = squares;
  for (std::size_t n = 0; n < vectors; ++n, row += hw::Lanes(Bytes()))
    add_values(hw::LoadU(Bytes(), row), sum, squares, more_squares);
  sums.channel_sums[0] += total(sum);
  sums.channel_squares[0] += total(squares) + total(more_squares);
}

HWY_INLINE void add_rgb(const std::uint8_t* row, std::size_t vectors, format::Sums& sums) {
  auto red_sum = hw::Zero(Quads()), green_sum = red_sum, blue_sum = red_sum;
  auto red_squares = hw::Zero(Doubles()), green_squares = red_squares, blue_squares = red_squares,
       more_red = red_squares, more_green = red_squares, more_blue = red_squares;
  for (std::size_t n = 0; n < vectors; ++n, row += 3 * hw::Lanes(Bytes())) {
    auto red = hw::Zero(Bytes()), green = red, blue = red;
    hw::LoadInterleaved3(Bytes(), row, red, green, blue);
    add_values(red, red_sum, red_squares, more_red);
    add_values(green, green_sum, green_squares, more_green);
    add_values(blue, blue_sum, blue_squares, more_blue);
  }
  sums.channel_sums[0] += total(red_sum);
  sums.channel_sums[1] += total(green_sum);
  sums.channel_sums[2] += total(blue_sum);
  sums.channel_squares[0] += total(red_squares) + total(more_red);
  sums.channel_squares[1] += total(green_squares) + total(more_green);
  sums.channel_squares[2] += total(blue_squares) + total(more_blue);
}

HWY_INLINE void add_vectors(const std::uint8_t* row, std::size_t vectors, std::size_t channels,
                            format::Sums& sums) {
  return channels == 1 ? add_gray(row, vectors, sums) : add_rgb(row, vectors, sums);
}

void add_row(const std::uint8_t* row, std::size_t pixels, std::size_t channels,
             format::Sums& sums) {
  const std::size_t vector_bytes = hw::Lanes(Bytes()) * channels;
  std::size_t bytes = pixels * channels;
  while (bytes >= vector_bytes) {
    const std::size_t vectors = std::min(bytes / vector_bytes, kVectorsPerFlush);
    add_vectors(row, vectors, channels, sums);
    row += vectors * vector_bytes;
    bytes -= vectors * vector_bytes;
  }
  if (bytes == 0) return;
  std::uint8_t rest[3 * hw::MaxLanes(Bytes())] = {};  // zeros add nothing
  std::memcpy(rest, row, bytes);
  add_vectors(rest, 1, channels, sums);
}

#endif

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
  auto pixels = static_cast<std::size_t>(right - left);
  auto rows = static_cast<std::size_t>(bottom - top);
  const std::uint8_t* row = record.row(top) + static_cast<std::size_t>(left) * channels;
  // Without gaps between them, all rows are added as one: short rows are slow.
  if (record.row_bytes == pixels * channels) pixels *= std::exchange(rows, 1);
  for (; rows > 0; --rows, row += record.row_bytes)
    HWY_DYNAMIC_DISPATCH(add_row)(row, pixels, channels, sums);
  sums.pixels_counted +=
      static_cast<std::uint64_t>(right - left) * static_cast<std::uint64_t>(bottom - top);
}

}  // namespace hotpack::pipeline
#endif
