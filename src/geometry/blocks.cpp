#include "geometry/blocks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

// Highway compiles the rest of this file once per vector instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "geometry/blocks.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hotpack::geometry::HWY_NAMESPACE {
namespace hw = hwy::HWY_NAMESPACE;

// Sums each column of `rows` rows. A sum of at most 257 rows fits 16 bits.
void sum_columns(const std::uint8_t* in, std::size_t row_bytes, std::size_t rows,
                 std::uint16_t* sums, std::size_t count) {
  const hw::ScalableTag<std::uint16_t> words;
  const hw::Rebind<std::uint8_t, decltype(words)> bytes;
  std::size_t i = 0;
  for (; i + hw::Lanes(words) <= count; i += hw::Lanes(words)) {
    auto sum = hw::Zero(words);
    for (std::size_t row = 0; row < rows; ++row)
      sum = hw::Add(sum, hw::PromoteTo(words, hw::LoadU(bytes, in + row * row_bytes + i)));
    hw::StoreU(sum, words, sums + i);
  }
  for (; i < count; ++i) {
    std::uint32_t sum = 0;
    for (std::size_t row = 0; row < rows; ++row) sum += in[row * row_bytes + i];
    sums[i] = static_cast<std::uint16_t>(sum);
  }
}

// Multiplies each sum by `factor` and rounds it half to even.
void round_sums(const std::int32_t* sums, float factor, std::uint8_t* out, std::size_t count) {
  const hw::ScalableTag<float> floats;
  const hw::RebindToSigned<decltype(floats)> ints;
  const hw::Rebind<std::uint8_t, decltype(floats)> bytes;
  const auto rounded = [&](const std::int32_t* at) HWY_ATTR {
    const auto mean = hw::Mul(hw::ConvertTo(floats, hw::LoadU(ints, at)), hw::Set(floats, factor));
    return hw::DemoteTo(bytes, hw::NearestInt(mean));
  };
  std::size_t i = 0;
  for (; i + hw::Lanes(floats) <= count; i += hw::Lanes(floats))
    hw::StoreU(rounded(sums + i), bytes, out + i);
  if (i == count) return;
  std::int32_t last_sums[hw::MaxLanes(floats)] = {};
  std::uint8_t last[hw::MaxLanes(floats)];
  std::memcpy(last_sums, sums + i, (count - i) * sizeof(*sums));
  hw::StoreU(rounded(last_sums), bytes, last);
  std::memcpy(out + i, last, count - i);
}

#if HWY_TARGET == HWY_SCALAR

void sum_rgb_blocks(const std::uint16_t* columns, std::size_t factor, std::size_t pixels,
                    std::uint32_t* sums) {
  for (std::size_t i = 0; i < 3 * pixels; ++i) {
    sums[i] = 0;
    for (std::size_t k = 0; k < factor; ++k) sums[i] += columns[3 * (i / 3 * factor + k) + i % 3];
  }
}

void halve_row(const std::uint8_t* top, const std::uint8_t* bottom, std::size_t pixels,
               std::size_t channels, std::uint8_t* out) {
  for (std::size_t i = 0; i < pixels * channels; ++i) {
    const std::size_t at = i / channels * 2 * channels + i % channels;
    const int sum = top[at] + top[at + channels] + bottom[at] + bottom[at + channels];
    out[i] = static_cast<std::uint8_t>((sum + 2) >> 2);
  }
}

#else

// Adds up the pixels of each block. `columns` has the sum of each column of source pixels, and a
// block has `factor` columns. Reads one element beyond the end of `columns`, which may be anything,
// and writes one beyond that of `sums`.
void sum_rgb_blocks(const std::uint16_t* columns, std::size_t factor, std::size_t pixels,
                    std::uint32_t* sums) {
  const hw::FixedTag<std::uint32_t, 4> pixel;
  const hw::FixedTag<std::uint16_t, 4> column;
  for (std::size_t x = 0; x < pixels; ++x, sums += 3) {
    auto sum = hw::Zero(pixel);
    for (std::size_t i = 0; i < factor; ++i, columns += 3)
      sum = hw::Add(sum, hw::PromoteTo(pixel, hw::LoadU(column, columns)));
    hw::StoreU(sum, pixel, sums);
  }
}

using Bytes = hw::ScalableTag<std::uint8_t>;
using Words = hw::Repartition<std::uint16_t, Bytes>;
using HalfBytes = hw::Half<Bytes>;

HWY_INLINE hw::Vec<Words> pair_sums(hw::Vec<Bytes> values) {
  const auto words = hw::BitCast(Words(), values);
  return hw::Add(hw::And(words, hw::Set(Words(), 0xFF)), hw::ShiftRight<8>(words));
}

HWY_INLINE hw::Vec<HalfBytes> halved(hw::Vec<Bytes> top, hw::Vec<Bytes> bottom) {
  const auto sum = hw::Add(hw::Add(pair_sums(top), pair_sums(bottom)), hw::Set(Words(), 2));
  const hw::RebindToSigned<Words> signed_words;
  return hw::DemoteTo(HalfBytes(), hw::BitCast(signed_words, hw::ShiftRight<2>(sum)));
}

HWY_INLINE void halve_gray(const std::uint8_t* top, const std::uint8_t* bottom, std::uint8_t* out) {
  hw::StoreU(halved(hw::LoadU(Bytes(), top), hw::LoadU(Bytes(), bottom)), HalfBytes(), out);
}

HWY_INLINE void halve_rgb(const std::uint8_t* top, const std::uint8_t* bottom, std::uint8_t* out) {
  auto red = hw::Zero(Bytes()), green = red, blue = red;
  auto red_below = red, green_below = red, blue_below = red;
  hw::LoadInterleaved3(Bytes(), top, red, green, blue);
  hw::LoadInterleaved3(Bytes(), bottom, red_below, green_below, blue_below);
  hw::StoreInterleaved3(halved(red, red_below), halved(green, green_below),
                        halved(blue, blue_below), HalfBytes(), out);
}

HWY_INLINE void halve_vector(const std::uint8_t* top, const std::uint8_t* bottom,
                             std::size_t channels, std::uint8_t* out) {
  channels == 3 ? halve_rgb(top, bottom, out) : halve_gray(top, bottom, out);
}

// Averages blocks of 2 x 2 pixels.
void halve_row(const std::uint8_t* top, const std::uint8_t* bottom, std::size_t pixels,
               std::size_t channels, std::uint8_t* out) {
  const std::size_t step = hw::Lanes(HalfBytes()) * channels;
  std::size_t i = 0;
  for (; i + step <= pixels * channels; i += step)
    halve_vector(top + 2 * i, bottom + 2 * i, channels, out + i);
  const std::size_t rest = pixels * channels - i;
  if (rest == 0) return;
  std::uint8_t last_top[3 * hw::MaxLanes(Bytes())] = {}, last_bottom[sizeof(last_top)] = {};
  std::uint8_t last[sizeof(last_top)];
  std::memcpy(last_top, top + 2 * i, 2 * rest);
  std::memcpy(last_bottom, bottom + 2 * i, 2 * rest);
  halve_vector(last_top, last_bottom, channels, last);
  std::memcpy(out + i, last, rest);
}

#endif

}  // namespace hotpack::geometry::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hotpack::geometry {
namespace {

HWY_EXPORT(sum_columns);
HWY_EXPORT(round_sums);
HWY_EXPORT(sum_rgb_blocks);
HWY_EXPORT(halve_row);

constexpr std::size_t kRowsOf16Bits = 257;  // 257 * 255 is the largest 16-bit integer

// Adds the column sums of each block, for each channel.
template <std::size_t kChannels, class Sum>
void sum_blocks(const Sum* columns, std::size_t factor, std::size_t pixels, std::uint32_t* sums) {
  for (std::size_t x = 0; x < pixels; ++x, sums += kChannels) {
    std::array<std::uint32_t, kChannels> sum{};
    for (std::size_t i = 0; i < factor; ++i) {
      for (std::size_t c = 0; c < kChannels; ++c) sum[c] += *columns++;
    }
    std::copy(sum.begin(), sum.end(), sums);
  }
}

// A row of blocks, `columns` x `rows` each.
struct BlockRow {
  const std::uint8_t* in;
  std::size_t row_bytes, columns, rows, pixels, channels;
  [[nodiscard]] std::size_t samples() const { return pixels * channels; }
};

void sum_low_blocks(const BlockRow& row, std::uint16_t* column_sums, std::uint32_t* sums) {
  HWY_DYNAMIC_DISPATCH(sum_columns)
  (row.in, row.row_bytes, row.rows, column_sums, row.samples() * row.columns);
  if (row.channels == 3) {
    HWY_DYNAMIC_DISPATCH(sum_rgb_blocks)(column_sums, row.columns, row.pixels, sums);
  } else {
    sum_blocks<1>(column_sums, row.columns, row.pixels, sums);
  }
}

// Averages blocks of so many rows that the sum of a column does not fit 16 bits.
void sum_high_blocks(const BlockRow& row, std::uint32_t* column_sums, std::uint32_t* sums) {
  const std::size_t count = row.samples() * row.columns;
  std::fill_n(column_sums, count, 0u);
  for (std::size_t y = 0; y < row.rows; ++y) {
    for (std::size_t i = 0; i < count; ++i) column_sums[i] += row.in[y * row.row_bytes + i];
  }
  row.channels == 3 ? sum_blocks<3>(column_sums, row.columns, row.pixels, sums)
                    : sum_blocks<1>(column_sums, row.columns, row.pixels, sums);
}

}  // namespace

void BlockAverager::average(const ConstPixels& source, const Region& region,
                            const MutablePixels& out) {
  const int x_factor = source.width / region.width, y_factor = source.height / region.height;
  const auto left = static_cast<std::size_t>(-region.x) * static_cast<std::size_t>(x_factor);
  BlockRow row{nullptr,
               source.row_bytes,
               static_cast<std::size_t>(x_factor),
               static_cast<std::size_t>(y_factor),
               static_cast<std::size_t>(out.width),
               static_cast<std::size_t>(out.channels)};
  const float factor = 1.0f / static_cast<float>(std::int64_t{x_factor} * y_factor);
  // one more than needed, see sum_rgb_blocks
  auto* column_sums = column_sums_.reserve_as<std::uint32_t>(row.samples() * row.columns + 1);
  auto* sums = block_sums_.reserve_as<std::uint32_t>(row.samples() + 1);
  for (int y = 0; y < out.height; ++y) {
    row.in = source.row((y - region.y) * y_factor) + left * row.channels;
    if (row.columns == 2 && row.rows == 2) {
      HWY_DYNAMIC_DISPATCH(halve_row)
      (row.in, row.in + row.row_bytes, row.pixels, row.channels, out.row(y));
      continue;
    }
    row.rows <= kRowsOf16Bits
        ? sum_low_blocks(row, reinterpret_cast<std::uint16_t*>(column_sums), sums)
        : sum_high_blocks(row, column_sums, sums);
    HWY_DYNAMIC_DISPATCH(round_sums)
    (reinterpret_cast<const std::int32_t*>(sums), factor, out.row(y), row.samples());
  }
}

}  // namespace hotpack::geometry
#endif
