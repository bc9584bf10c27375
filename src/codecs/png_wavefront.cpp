#include "codecs/png_wavefront.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "codecs/png_filters.hpp"

// Highway compiles the rest of this file once per vector instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codecs/png_wavefront.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hotpack::codecs::HWY_NAMESPACE {
namespace hw = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

void undo_eight_rows(const FilteredRows& rows, std::size_t y, const std::uint8_t* above) {
  for (const std::size_t end = y + kWavefrontRows; y < end; above = rows.row(y++)) {
    const std::uint8_t* const in = rows.coded_row(y);
    undo_filter(in[0], in + 1, above, rows.row(y), rows.size, rows.pixel_bytes);
  }
}

void undo_sub(const std::uint8_t* in, std::uint8_t* out, std::size_t size,
              std::size_t pixel_bytes) {
  undo_filter(1, in, nullptr, out, size, pixel_bytes);
}

#else

// Vectors of 16 bytes: four pixels of four rows, or of one. A pixel takes four bytes there, of
// which the last is without meaning (the last three, if pixels have one byte).
using Bytes = hw::Full128<std::uint8_t>;
using Words = hw::Repartition<std::uint32_t, Bytes>;
using Doubles = hw::Repartition<std::uint64_t, Bytes>;
using V = hw::Vec<Bytes>;

constexpr std::size_t kVectorBytes = 16, kPixels = 4, kRows = kWavefrontRows;

// The order of bytes that moves `pixel_bytes` at a time from a distance of `from` to one of `to`.
constexpr std::array<std::uint8_t, kVectorBytes> moved(std::size_t pixel_bytes, std::size_t from,
                                                       std::size_t to) {
  std::array<std::uint8_t, kVectorBytes> order{};
  for (std::size_t pixel = 0; pixel < kPixels; ++pixel)
    for (std::size_t byte = 0; byte < pixel_bytes; ++byte)
      order[pixel * to + byte] = static_cast<std::uint8_t>(pixel * from + byte);
  return order;
}

// Four pixels from their dense form to four bytes each, and back.
template <std::size_t kPixelBytes>
HWY_INLINE V spread(V dense) {
  static constexpr auto kOrder = moved(kPixelBytes, kPixelBytes, 4);
  return hw::TableLookupBytes(dense, hw::LoadU(Bytes(), kOrder.data()));
}
template <std::size_t kPixelBytes>
HWY_INLINE V densified(V pixels) {
  static constexpr auto kOrder = moved(kPixelBytes, 4, kPixelBytes);
  return hw::TableLookupBytes(pixels, hw::LoadU(Bytes(), kOrder.data()));
}

// Turns four vectors, each with four pixels of one row, into vectors with one pixel of each row;
// and back.
HWY_INLINE void transpose(V& a, V& b, V& c, V& d) {
  const auto words = [](V v) { return hw::BitCast(Words(), v); };
  const auto ab_low = hw::BitCast(Doubles(), hw::InterleaveLower(Words(), words(a), words(b)));
  const auto ab_high = hw::BitCast(Doubles(), hw::InterleaveUpper(Words(), words(a), words(b)));
  const auto cd_low = hw::BitCast(Doubles(), hw::InterleaveLower(Words(), words(c), words(d)));
  const auto cd_high = hw::BitCast(Doubles(), hw::InterleaveUpper(Words(), words(c), words(d)));
  a = hw::BitCast(Bytes(), hw::InterleaveLower(Doubles(), ab_low, cd_low));
  b = hw::BitCast(Bytes(), hw::InterleaveUpper(Doubles(), ab_low, cd_low));
  c = hw::BitCast(Bytes(), hw::InterleaveLower(Doubles(), ab_high, cd_high));
  d = hw::BitCast(Bytes(), hw::InterleaveUpper(Doubles(), ab_high, cd_high));
}

// What the Paeth predictor adds to `corner`. With `low` and `high` of left and above, it predicts
// `low` if `high` is at most half as far from the corner as `low` is, `high` if `low` is at most
// half as far as `high` is, and the corner otherwise. (Outside of low…high the nearer one counts
// as at no distance.)
HWY_INLINE V paeth_step(V left, V above, V corner) {
  const auto low = hw::Min(left, above), high = hw::Max(left, above), zero = hw::Zero(Bytes());
  const auto to_high = hw::SaturatedSub(high, corner), to_low = hw::SaturatedSub(corner, low);
  const auto takes_low = hw::Eq(hw::SaturatedSub(hw::SaturatedAdd(to_high, to_high), to_low), zero);
  const auto takes_high = hw::Eq(hw::SaturatedSub(hw::SaturatedAdd(to_low, to_low), to_high), zero);
  return hw::Sub(hw::IfThenElseZero(takes_high, to_high), hw::IfThenElseZero(takes_low, to_low));
}

HWY_INLINE V average_below(V a, V b) {
  return hw::Sub(hw::AverageRound(a, b), hw::And(hw::Xor(a, b), hw::Set(Bytes(), 1)));
}

// Which filters the eight rows have. The step of a group handles all that a smaller one does.
enum class Filters { paeth, without_average, all };

// Masks over four rows: which of left and above a row's predictor uses. Paeth of a left or above
// that is masked to zero, with a zero corner, predicts as none, sub and up do.
struct RowMasks {
  std::uint32_t left[kRows], above[kRows], average[kRows];

  Filters set(const FilteredRows& rows, std::size_t y) {
    std::array<bool, kLastFilter + 1> present{};
    for (std::size_t k = 0; k < kRows; ++k) {
      const std::uint8_t filter = rows.coded_row(y + k)[0];
      present[filter] = true;
      left[k] = filter == 1 || filter == 4 ? ~0U : 0;
      above[k] = filter == 2 || filter == 4 ? ~0U : 0;
      average[k] = filter == 3 ? ~0U : 0;
    }
    if (present[3]) return Filters::all;
    return present[0] || present[1] || present[2] ? Filters::without_average : Filters::paeth;
  }
};

HWY_INLINE V load_masks(const std::uint32_t* masks) {
  return hw::BitCast(Bytes(), hw::LoadU(Words(), masks));
}

// One pixel of four rows: `coded` and `left` become the decoded pixels, `corner` that of the next
// step. (SVE's vectors cannot be members, so the state of the rows is passed one by one.)
template <Filters kFilters>
HWY_INLINE void step(V above, V& coded, V& left, V& corner, V uses_left, V uses_above,
                     V is_average) {
  if constexpr (kFilters == Filters::paeth) {
    left = hw::Add(hw::Add(coded, corner), paeth_step(left, above, corner));
    corner = above;
  } else {
    const V used_left = hw::And(left, uses_left), used_above = hw::And(above, uses_above);
    V predicted = hw::Add(corner, paeth_step(used_left, used_above, corner));
    if constexpr (kFilters == Filters::all)
      predicted = hw::Or(hw::AndNot(is_average, predicted),
                         hw::And(is_average, average_below(left, above)));
    corner = hw::And(used_above, uses_left);
    left = hw::Add(coded, predicted);
  }
  coded = left;
}

// The first pixels of a row of `in` or `out`, moved back by one pixel per row before it.
template <std::size_t kPixelBytes>
HWY_INLINE void load_four(const std::uint8_t* in, std::size_t stride, V& a, V& b, V& c, V& d) {
  a = spread<kPixelBytes>(hw::LoadU(Bytes(), in));
  b = spread<kPixelBytes>(hw::LoadU(Bytes(), in + stride));
  c = spread<kPixelBytes>(hw::LoadU(Bytes(), in + 2 * stride));
  d = spread<kPixelBytes>(hw::LoadU(Bytes(), in + 3 * stride));
  transpose(a, b, c, d);
}

template <std::size_t kPixelBytes>
HWY_INLINE void store_four(V a, V b, V c, V d, std::uint8_t* out, std::size_t stride) {
  transpose(a, b, c, d);
  hw::StoreU(densified<kPixelBytes>(a), Bytes(), out);
  hw::StoreU(densified<kPixelBytes>(b), Bytes(), out + stride);
  hw::StoreU(densified<kPixelBytes>(c), Bytes(), out + 2 * stride);
  hw::StoreU(densified<kPixelBytes>(d), Bytes(), out + 3 * stride);
}

// Clears the pixels of rows that have not begun at `time`: row k begins at time k.
HWY_INLINE void clear_early(std::size_t time, std::size_t first_row, V& coded) {
  static constexpr std::uint32_t kBegun[8] = {~0U, ~0U, ~0U, ~0U, 0, 0, 0, 0};
  const std::size_t begun =
      time < first_row ? 0 : std::min<std::size_t>(time - first_row + 1, kPixels);
  coded = hw::And(coded, load_masks(kBegun + 4 - begun));
}

template <Filters kFilters, std::size_t kPixelBytes>
void undo_group(const FilteredRows& rows, std::size_t y, const std::uint8_t* above,
                const RowMasks& masks) {
  constexpr std::size_t kBlock = kPixels * kPixelBytes;  // bytes of a row in a turn of the loop
  const std::size_t size = rows.size, in_stride = size + 1 - kPixelBytes;
  const std::uint8_t* in = rows.coded_row(y) + 1;
  std::uint8_t* out = rows.row(y);
  std::size_t out_stride = rows.row_bytes - kPixelBytes;

  const std::size_t turns = (size / kPixelBytes + kRows - 1 + kPixels - 1) / kPixels;
  // The vectors of later turns would overwrite what lies behind a row.
  const std::size_t direct = (size - kVectorBytes) / kBlock + 1;
  std::array<std::uint8_t, kRows * 2 * kWavefrontSlack> ends;

  const V left_uses0 = load_masks(masks.left), left_uses1 = load_masks(masks.left + 4),
          above_uses0 = load_masks(masks.above), above_uses1 = load_masks(masks.above + 4),
          average0 = load_masks(masks.average), average1 = load_masks(masks.average + 4);
  V left0 = hw::Zero(Bytes()), left1 = left0, corner0 = left0, corner1 = left0;
  const auto advance = [&](V pixel_above, V& coded0, V& coded1) HWY_ATTR {
    const V above0 = hw::CombineShiftRightBytes<12>(Bytes(), left0, pixel_above);
    const V above1 = hw::CombineShiftRightBytes<12>(Bytes(), left1, left0);
    step<kFilters>(above0, coded0, left0, corner0, left_uses0, above_uses0, average0);
    step<kFilters>(above1, coded1, left1, corner1, left_uses1, above_uses1, average1);
  };
  for (std::size_t turn = 0; turn < turns; ++turn) {
    if (turn == direct) {
      out = ends.data();
      out_stride = 2 * kWavefrontSlack;
    }
    V a0, b0, c0, d0, a1, b1, c1, d1;
    load_four<kPixelBytes>(in, in_stride, a0, b0, c0, d0);
    load_four<kPixelBytes>(in + 4 * in_stride, in_stride, a1, b1, c1, d1);
    if (turn < kRows / kPixels) {
      const std::size_t time = turn * kPixels;
      clear_early(time, 0, a0), clear_early(time + 1, 0, b0), clear_early(time + 2, 0, c0);
      clear_early(time, 4, a1), clear_early(time + 1, 4, b1), clear_early(time + 2, 4, c1);
      clear_early(time + 3, 4, d1);
    }
    const V four_above = spread<kPixelBytes>(hw::LoadU(Bytes(), above));
    advance(hw::ShiftLeftBytes<12>(four_above), a0, a1);
    advance(hw::ShiftLeftBytes<8>(four_above), b0, b1);
    advance(hw::ShiftLeftBytes<4>(four_above), c0, c1);
    advance(four_above, d0, d1);
    store_four<kPixelBytes>(a0, b0, c0, d0, out, out_stride);
    store_four<kPixelBytes>(a1, b1, c1, d1, out + 4 * out_stride, out_stride);
    in += kBlock, out += kBlock, above += kBlock;
  }
  for (std::size_t k = 0; k < kRows; ++k) {
    const std::size_t done = direct * kBlock - k * kPixelBytes;
    std::memcpy(rows.row(y + k) + done, ends.data() + k * 2 * kWavefrontSlack, size - done);
  }
}

template <std::size_t kPixelBytes>
void undo_rows(const FilteredRows& rows, std::size_t y, const std::uint8_t* above) {
  RowMasks masks;
  const Filters filters = masks.set(rows, y);
  if (filters == Filters::paeth)
    return undo_group<Filters::paeth, kPixelBytes>(rows, y, above, masks);
  if (filters == Filters::without_average)
    return undo_group<Filters::without_average, kPixelBytes>(rows, y, above, masks);
  undo_group<Filters::all, kPixelBytes>(rows, y, above, masks);
}

void undo_eight_rows(const FilteredRows& rows, std::size_t y, const std::uint8_t* above) {
  return (rows.pixel_bytes == 3 ? undo_rows<3> : undo_rows<1>)(rows, y, above);
}

// The order of bytes that repeats the last whole pixel of the dense pixels in a vector.
template <std::size_t kPixelBytes>
constexpr auto kLastPixel = [] {
  std::array<std::uint8_t, kVectorBytes> order{};
  for (std::size_t i = 0; i < kVectorBytes; ++i)
    order[i] = static_cast<std::uint8_t>(kVectorBytes / kPixelBytes * kPixelBytes - kPixelBytes +
                                         i % kPixelBytes);
  return order;
}();

// Adds up the pixels of a vector in steps of 1, 2, 4 and, if they have one byte, 8 pixels.
template <std::size_t kPixelBytes>
HWY_INLINE V running_sums(V pixels) {
  pixels = hw::Add(pixels, hw::ShiftLeftBytes<kPixelBytes>(pixels));
  pixels = hw::Add(pixels, hw::ShiftLeftBytes<2 * kPixelBytes>(pixels));
  pixels = hw::Add(pixels, hw::ShiftLeftBytes<4 * kPixelBytes>(pixels));
  if constexpr (kPixelBytes == 1) pixels = hw::Add(pixels, hw::ShiftLeftBytes<8>(pixels));
  return pixels;
}

template <std::size_t kPixelBytes>
HWY_INLINE void undo_sub_of(const std::uint8_t* in, std::uint8_t* out, std::size_t size) {
  constexpr std::size_t kWhole = kVectorBytes / kPixelBytes * kPixelBytes;
  const V last_pixel = hw::LoadU(Bytes(), kLastPixel<kPixelBytes>.data());
  V left = hw::Zero(Bytes());
  std::size_t at = 0;
  for (; at + kVectorBytes <= size; at += kWhole) {
    const V pixels = hw::Add(running_sums<kPixelBytes>(hw::LoadU(Bytes(), in + at)), left);
    hw::StoreU(pixels, Bytes(), out + at);
    left = hw::TableLookupBytes(pixels, last_pixel);
  }
  for (; at < size; ++at)
    out[at] = static_cast<std::uint8_t>(in[at] + (at < kPixelBytes ? 0 : out[at - kPixelBytes]));
}

void undo_sub(const std::uint8_t* in, std::uint8_t* out, std::size_t size,
              std::size_t pixel_bytes) {
  return (pixel_bytes == 3 ? undo_sub_of<3> : undo_sub_of<1>)(in, out, size);
}

#endif

}  // namespace hotpack::codecs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hotpack::codecs {

HWY_EXPORT(undo_eight_rows);
HWY_EXPORT(undo_sub);

void undo_wavefront(const FilteredRows& rows, std::size_t y, const std::uint8_t* above) {
  HWY_DYNAMIC_DISPATCH(undo_eight_rows)(rows, y, above);
}

void undo_sub_row(const std::uint8_t* in, std::uint8_t* out, std::size_t size,
                  std::size_t pixel_bytes) {
  HWY_DYNAMIC_DISPATCH(undo_sub)(in, out, size, pixel_bytes);
}

}  // namespace hotpack::codecs
#endif
