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

// The layout of vectors: each block of 16 bytes holds pixels of four rows, or four pixels of one
// row. A pixel takes four bytes of the block. Pixels of three bytes leave the last byte unused,
// pixels of one byte the last three.
using Block = hw::Full128<std::uint8_t>;

template <class V>
using BytesOf = hw::DFromV<V>;
template <class V>
using WordsOf = hw::Repartition<std::uint32_t, BytesOf<V> >;
template <class V>
using DoublesOf = hw::Repartition<std::uint64_t, BytesOf<V> >;

constexpr std::size_t kBlockBytes = 16, kPixels = 4, kRows = kWavefrontRows;

// The order of bytes that moves `pixel_bytes` at a time from a distance of `from` to one of `to`.
constexpr std::array<std::uint8_t, kBlockBytes> moved(std::size_t pixel_bytes, std::size_t from,
                                                      std::size_t to) {
  std::array<std::uint8_t, kBlockBytes> order{};
  for (std::size_t pixel = 0; pixel < kPixels; ++pixel)
    for (std::size_t byte = 0; byte < pixel_bytes; ++byte)
      order[pixel * to + byte] = static_cast<std::uint8_t>(pixel * from + byte);
  return order;
}

// Four pixels from their dense form to four bytes each, and back.
template <std::size_t kPixelBytes, class V>
HWY_INLINE V spread(V dense) {
  static constexpr auto kOrder = moved(kPixelBytes, kPixelBytes, 4);
  return hw::TableLookupBytes(dense, hw::LoadDup128(BytesOf<V>(), kOrder.data()));
}
template <std::size_t kPixelBytes, class V>
HWY_INLINE V densified(V pixels) {
  static constexpr auto kOrder = moved(kPixelBytes, 4, kPixelBytes);
  return hw::TableLookupBytes(pixels, hw::LoadDup128(BytesOf<V>(), kOrder.data()));
}

// Transposes pixels in blocks. Before: four vectors, of which each block holds four pixels of one
// row. After: four vectors, of which each block holds one pixel of each of four rows. A second call
// reverses the first.
template <class V>
HWY_INLINE void transpose(V& a, V& b, V& c, V& d) {
  const BytesOf<V> bytes;
  const WordsOf<V> words;
  const DoublesOf<V> doubles;
  const auto a4 = hw::BitCast(words, a), b4 = hw::BitCast(words, b), c4 = hw::BitCast(words, c),
             d4 = hw::BitCast(words, d);
  const auto ab_low = hw::BitCast(doubles, hw::InterleaveLower(words, a4, b4));
  const auto ab_high = hw::BitCast(doubles, hw::InterleaveUpper(words, a4, b4));
  const auto cd_low = hw::BitCast(doubles, hw::InterleaveLower(words, c4, d4));
  const auto cd_high = hw::BitCast(doubles, hw::InterleaveUpper(words, c4, d4));
  a = hw::BitCast(bytes, hw::InterleaveLower(doubles, ab_low, cd_low));
  b = hw::BitCast(bytes, hw::InterleaveUpper(doubles, ab_low, cd_low));
  c = hw::BitCast(bytes, hw::InterleaveLower(doubles, ab_high, cd_high));
  d = hw::BitCast(bytes, hw::InterleaveUpper(doubles, ab_high, cd_high));
}

// Returns the Paeth predictor minus `corner`. Let `low` and `high` be the smaller and the larger of
// left and above. The predictor is `low` if `high` is at most half as far from the corner as `low`
// is; it is `high` if `low` is at most half as far as `high` is; otherwise it is the corner. (If
// the corner is not between them, its distance to the nearer one counts as 0.)
template <class V>
HWY_INLINE V paeth_step(V left, V above, V corner) {
  const V low = hw::Min(left, above), high = hw::Max(left, above), zero = hw::Zero(BytesOf<V>());
  const V to_high = hw::SaturatedSub(high, corner), to_low = hw::SaturatedSub(corner, low);
  const auto takes_low = hw::Eq(hw::SaturatedSub(hw::SaturatedAdd(to_high, to_high), to_low), zero);
  const auto takes_high = hw::Eq(hw::SaturatedSub(hw::SaturatedAdd(to_low, to_low), to_high), zero);
  return hw::Sub(hw::IfThenElseZero(takes_high, to_high), hw::IfThenElseZero(takes_low, to_low));
}

// Rounds down. (AverageRound of Highway 1.0.3 overflows on SVE.)
template <class V>
HWY_INLINE V average(V a, V b) {
  return hw::Add(hw::And(a, b), hw::ShiftRight<1>(hw::Xor(a, b)));
}

// Which filters the eight rows have. The step of a group handles all that a smaller one does.
enum class Filters { paeth, without_average, all };

// Masks for the eight rows that say which neighbors the filter of a row uses. The Paeth
// predictor then serves for the other filters, too: with `left`, `above` or both masked to zero,
// and the corner zero, it predicts what the filters up, sub and none do.
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

template <class D>
HWY_INLINE hw::Vec<D> load_masks(D bytes, const std::uint32_t* masks) {
  return hw::BitCast(bytes, hw::LoadU(hw::Repartition<std::uint32_t, D>(), masks));
}

// Decodes one pixel of each row. Before: `coded` has the filtered pixels, `left` the pixels to
// their left. After: both have the decoded pixels, and `corner` has the pixels that are above left
// in the next step. (SVE's vectors cannot be members of a class, so they are passed one by one.)
template <Filters kFilters, class V>
HWY_INLINE void step(V above, V& coded, V& left, V& corner, V uses_left, V uses_above,
                     V is_average) {
  if constexpr (kFilters == Filters::paeth) {
    left = hw::Add(hw::Add(coded, corner), paeth_step(left, above, corner));
    corner = above;
  } else {
    const V used_left = hw::And(left, uses_left), used_above = hw::And(above, uses_above);
    V predicted = hw::Add(corner, paeth_step(used_left, used_above, corner));
    if constexpr (kFilters == Filters::all)
      predicted =
          hw::Or(hw::AndNot(is_average, predicted), hw::And(is_average, average(left, above)));
    corner = hw::And(used_above, uses_left);
    left = hw::Add(coded, predicted);
  }
  coded = left;
}

// Clears the pixels of rows that begin later than at `time`; `begins` says when each does.
template <class D>
HWY_INLINE void clear_early(D bytes, std::size_t time, const std::int32_t* begins,
                            hw::Vec<D>& coded) {
  const hw::Repartition<std::int32_t, D> numbers;
  const auto now = hw::Set(numbers, static_cast<std::int32_t>(time));
  const auto is_early = hw::VecFromMask(numbers, hw::Gt(hw::LoadU(numbers, begins), now));
  coded = hw::AndNot(hw::BitCast(bytes, is_early), coded);
}
template <class D>
HWY_INLINE void clear_early(D bytes, std::size_t time, const std::int32_t* begins, hw::Vec<D>& a,
                            hw::Vec<D>& b, hw::Vec<D>& c, hw::Vec<D>& d) {
  clear_early(bytes, time, begins, a);
  clear_early(bytes, time + 1, begins, b);
  clear_early(bytes, time + 2, begins, c);
  clear_early(bytes, time + 3, begins, d);
}

// Moves through eight rows in turns of four pixels. Each row is one pixel behind the row above it;
// the fifth row is another `kGap` pixels behind.
template <std::size_t kPixelBytes, std::size_t kGap>
class Course {
 public:
  static constexpr std::size_t kTurnBytes = kPixels * kPixelBytes;
  static constexpr auto kBegins = [] {
    std::array<std::int32_t, kRows> begins{};
    for (std::size_t k = 0; k < kRows; ++k) begins[k] = static_cast<std::int32_t>(k + k / 4 * kGap);
    return begins;
  }();

  Course(const FilteredRows& rows, std::size_t y, const std::uint8_t* row_above)
      : in(rows.coded_row(y) + 1),
        above(row_above),
        out(rows.row(y)),
        in_stride(rows.size + 1 - kPixelBytes),
        out_stride(rows.row_bytes - kPixelBytes),
        rows_(rows),
        y_(y),
        turns_((rows.size / kPixelBytes + kLastBegin + kPixels - 1) / kPixels),
        direct_((rows.size - kBlockBytes) / kTurnBytes + 1) {}

  // The fifth row.
  [[nodiscard]] HWY_INLINE const std::uint8_t* far_in() const { return in + offset(4, in_stride); }
  [[nodiscard]] HWY_INLINE std::uint8_t* far_out() const { return out + offset(4, out_stride); }

  // The number of pixels before this turn.
  [[nodiscard]] HWY_INLINE std::size_t time() const { return turn_ * kPixels; }
  [[nodiscard]] HWY_INLINE bool is_beginning() const { return time() < kLastBegin; }

  // Goes on to the next turn. False: there is none.
  [[nodiscard]] HWY_INLINE bool go_on() {
    in += kTurnBytes, above += kTurnBytes, out += kTurnBytes;
    // From here on, vectors would overwrite what lies behind a row.
    if (++turn_ == direct_) out = ends_.data(), out_stride = kEndBytes;
    return turn_ < turns_;
  }

  // Copies the ends of the rows to where they belong.
  void finish() const {
    for (std::size_t k = 0; k < kRows; ++k) {
      const std::size_t begin = static_cast<std::size_t>(kBegins[k]) * kPixelBytes;
      const std::size_t done = direct_ * kTurnBytes - begin;
      std::memcpy(rows_.row(y_ + k) + done, ends_.data() + offset(k, kEndBytes), rows_.size - done);
    }
  }

  const std::uint8_t* in;
  const std::uint8_t* above;
  std::uint8_t* out;
  std::size_t in_stride, out_stride;  // from row to row, and one pixel back

 private:
  static constexpr std::size_t kLastBegin = kRows - 1 + kGap, kEndBytes = 128;

  static constexpr std::size_t offset(std::size_t row, std::size_t stride) {
    return row * stride - row / 4 * kGap * kPixelBytes;
  }

  const FilteredRows& rows_;
  std::size_t y_, turns_, direct_, turn_ = 0;
  std::array<std::uint8_t, kRows * kEndBytes> ends_;
};

#if HWY_CAP_GE256 && HWY_ARCH_X86

// Here the eight rows are in one vector of two blocks. Moving a pixel from one block to the other
// takes longer than one step. Therefore the fifth row is one more pixel behind: it uses pixels that
// the fourth row decoded one step earlier.

using Wide = hw::FixedTag<std::uint8_t, 32>;
using V = hw::Vec<Wide>;

template <std::size_t kPixelBytes>
HWY_INLINE V load_row(const std::uint8_t* near, const std::uint8_t* far) {
  return spread<kPixelBytes>(
      hw::Combine(Wide(), hw::LoadU(Block(), far), hw::LoadU(Block(), near)));
}

template <std::size_t kPixelBytes>
HWY_INLINE void store_row(V pixels, std::uint8_t* near, std::uint8_t* far) {
  const V dense = densified<kPixelBytes>(pixels);
  hw::StoreU(hw::LowerHalf(Block(), dense), Block(), near);
  hw::StoreU(hw::UpperHalf(Block(), dense), Block(), far);
}

template <Filters kFilters, std::size_t kPixelBytes>
void undo_group(const FilteredRows& rows, std::size_t y, const std::uint8_t* above,
                const RowMasks& masks) {
  using Way = Course<kPixelBytes, 1>;
  Way way(rows, y, above);
  const V uses_left = load_masks(Wide(), masks.left), uses_above = load_masks(Wide(), masks.above),
          is_average = load_masks(Wide(), masks.average);
  V left = hw::Zero(Wide()), left_before = left, corner = left;
  const auto advance = [&](hw::Vec<Block> first_above, V& coded) HWY_ATTR {
    const V before = hw::Combine(Wide(), hw::LowerHalf(Block(), left_before), first_above);
    const V row_above = hw::CombineShiftRightBytes<12>(Wide(), left, before);
    left_before = left;
    step<kFilters>(row_above, coded, left, corner, uses_left, uses_above, is_average);
  };
  do {
    const std::uint8_t *const near = way.in, *const far = way.far_in();
    const std::size_t stride = way.in_stride;
    V a = load_row<kPixelBytes>(near, far);
    V b = load_row<kPixelBytes>(near + stride, far + stride);
    V c = load_row<kPixelBytes>(near + 2 * stride, far + 2 * stride);
    V d = load_row<kPixelBytes>(near + 3 * stride, far + 3 * stride);
    transpose(a, b, c, d);
    if (way.is_beginning()) clear_early(Wide(), way.time(), Way::kBegins.data(), a, b, c, d);
    const auto four_above = spread<kPixelBytes>(hw::LoadU(Block(), way.above));
    advance(hw::ShiftLeftBytes<12>(four_above), a);
    advance(hw::ShiftLeftBytes<8>(four_above), b);
    advance(hw::ShiftLeftBytes<4>(four_above), c);
    advance(four_above, d);
    transpose(a, b, c, d);
    std::uint8_t *const to = way.out, *const far_to = way.far_out();
    const std::size_t out_stride = way.out_stride;
    store_row<kPixelBytes>(a, to, far_to);
    store_row<kPixelBytes>(b, to + out_stride, far_to + out_stride);
    store_row<kPixelBytes>(c, to + 2 * out_stride, far_to + 2 * out_stride);
    store_row<kPixelBytes>(d, to + 3 * out_stride, far_to + 3 * out_stride);
  } while (way.go_on());
  way.finish();
}

#else

// Eight rows in two vectors of one block.

using V = hw::Vec<Block>;

template <std::size_t kPixelBytes>
HWY_INLINE void load_rows(const std::uint8_t* in, std::size_t stride, V& a, V& b, V& c, V& d) {
  a = spread<kPixelBytes>(hw::LoadU(Block(), in));
  b = spread<kPixelBytes>(hw::LoadU(Block(), in + stride));
  c = spread<kPixelBytes>(hw::LoadU(Block(), in + 2 * stride));
  d = spread<kPixelBytes>(hw::LoadU(Block(), in + 3 * stride));
  transpose(a, b, c, d);
}

template <std::size_t kPixelBytes>
HWY_INLINE void store_rows(V a, V b, V c, V d, std::uint8_t* out, std::size_t stride) {
  transpose(a, b, c, d);
  hw::StoreU(densified<kPixelBytes>(a), Block(), out);
  hw::StoreU(densified<kPixelBytes>(b), Block(), out + stride);
  hw::StoreU(densified<kPixelBytes>(c), Block(), out + 2 * stride);
  hw::StoreU(densified<kPixelBytes>(d), Block(), out + 3 * stride);
}

template <Filters kFilters, std::size_t kPixelBytes>
void undo_group(const FilteredRows& rows, std::size_t y, const std::uint8_t* above,
                const RowMasks& masks) {
  using Way = Course<kPixelBytes, 0>;
  Way way(rows, y, above);
  const V left_uses0 = load_masks(Block(), masks.left),
          left_uses1 = load_masks(Block(), masks.left + 4),
          above_uses0 = load_masks(Block(), masks.above),
          above_uses1 = load_masks(Block(), masks.above + 4),
          average0 = load_masks(Block(), masks.average),
          average1 = load_masks(Block(), masks.average + 4);
  V left0 = hw::Zero(Block()), left1 = left0, corner0 = left0, corner1 = left0;
  const auto advance = [&](V first_above, V& coded0, V& coded1) HWY_ATTR {
    const V above0 = hw::CombineShiftRightBytes<12>(Block(), left0, first_above);
    const V above1 = hw::CombineShiftRightBytes<12>(Block(), left1, left0);
    step<kFilters>(above0, coded0, left0, corner0, left_uses0, above_uses0, average0);
    step<kFilters>(above1, coded1, left1, corner1, left_uses1, above_uses1, average1);
  };
  do {
    V a0, b0, c0, d0, a1, b1, c1, d1;
    load_rows<kPixelBytes>(way.in, way.in_stride, a0, b0, c0, d0);
    load_rows<kPixelBytes>(way.far_in(), way.in_stride, a1, b1, c1, d1);
    if (way.is_beginning()) {
      clear_early(Block(), way.time(), Way::kBegins.data(), a0, b0, c0, d0);
      clear_early(Block(), way.time(), Way::kBegins.data() + 4, a1, b1, c1, d1);
    }
    const V four_above = spread<kPixelBytes>(hw::LoadU(Block(), way.above));
    advance(hw::ShiftLeftBytes<12>(four_above), a0, a1);
    advance(hw::ShiftLeftBytes<8>(four_above), b0, b1);
    advance(hw::ShiftLeftBytes<4>(four_above), c0, c1);
    advance(four_above, d0, d1);
    store_rows<kPixelBytes>(a0, b0, c0, d0, way.out, way.out_stride);
    store_rows<kPixelBytes>(a1, b1, c1, d1, way.far_out(), way.out_stride);
  } while (way.go_on());
  way.finish();
}

#endif

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
  std::array<std::uint8_t, kBlockBytes> order{};
  for (std::size_t i = 0; i < kBlockBytes; ++i)
    order[i] = static_cast<std::uint8_t>(kBlockBytes / kPixelBytes * kPixelBytes - kPixelBytes +
                                         i % kPixelBytes);
  return order;
}();

// Adds up the pixels of a vector in steps of 1, 2, 4 and, if they have one byte, 8 pixels.
template <std::size_t kPixelBytes>
HWY_INLINE hw::Vec<Block> running_sums(hw::Vec<Block> pixels) {
  pixels = hw::Add(pixels, hw::ShiftLeftBytes<kPixelBytes>(pixels));
  pixels = hw::Add(pixels, hw::ShiftLeftBytes<2 * kPixelBytes>(pixels));
  pixels = hw::Add(pixels, hw::ShiftLeftBytes<4 * kPixelBytes>(pixels));
  if constexpr (kPixelBytes == 1) pixels = hw::Add(pixels, hw::ShiftLeftBytes<8>(pixels));
  return pixels;
}

template <std::size_t kPixelBytes>
HWY_INLINE void undo_sub_of(const std::uint8_t* in, std::uint8_t* out, std::size_t size) {
  constexpr std::size_t kWhole = kBlockBytes / kPixelBytes * kPixelBytes;
  const auto last_pixel = hw::LoadU(Block(), kLastPixel<kPixelBytes>.data());
  auto left = hw::Zero(Block());
  std::size_t at = 0;
  for (; at + kBlockBytes <= size; at += kWhole) {
    const auto pixels = hw::Add(running_sums<kPixelBytes>(hw::LoadU(Block(), in + at)), left);
    hw::StoreU(pixels, Block(), out + at);
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
