#include "geometry/weighted_sums.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "geometry/gray_fours.hpp"

// Highway compiles the rest of this file once per vector instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "geometry/weighted_sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "geometry/vector_pixels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hotpack::geometry::HWY_NAMESPACE {
namespace hw = hwy::HWY_NAMESPACE;

HWY_INLINE std::uint8_t rounded_sum(std::int32_t sum) {
  const std::int32_t half = 1 << (kWeightBits - 1);
  return static_cast<std::uint8_t>(std::clamp((sum + half) >> kWeightBits, 0, 255));
}

// Sums samples [first, first + count) of the rows of `pairs` pairs.
HWY_INLINE void sum_few(const std::uint8_t* const* rows, const std::int32_t* weights,
                        std::size_t pairs, std::size_t first, std::size_t count,
                        std::uint8_t* out) {
  for (std::size_t i = first; i < first + count; ++i) {
    std::int32_t sum = 0;
    for (std::size_t row = 0; row < 2 * pairs; ++row) {
      std::int16_t parts[4];
      std::memcpy(parts, weights + row / 2 * 2, sizeof parts);
      sum += rows[row][i] * (parts[row % 2] * 256 + parts[2 + row % 2]);
    }
    out[i] = rounded_sum(sum);
  }
}

#if HWY_TARGET == HWY_SCALAR

// The weight of input `tap` of a lane.
std::int32_t weight_of(const WeightedColumns& columns, std::size_t lane, std::size_t tap) {
  const std::int16_t* upper = &columns.weights[tap / 2 * 4 * columns.lanes];
  const std::size_t at = 2 * lane + tap % 2;
  return upper[at] * 256 + upper[2 * columns.lanes + at];
}

void sum_rgb(const WeightedColumns& columns, const std::uint8_t* in, std::uint8_t*,
             std::uint8_t* out) {
  for (std::size_t i = 0; i < 3 * columns.pixels; ++i) {
    const std::uint8_t* input = in + columns.starts[i / 3] + i % 3;
    std::int32_t sum = 0;
    for (std::size_t tap = 0; tap < 2 * columns.pairs; ++tap)
      sum += input[3 * tap] * weight_of(columns, i / 3 * 4 + i % 3, tap);
    out[i] = rounded_sum(sum);
  }
}

void sum_gray(const WeightedColumns& columns, const std::uint32_t* fours, std::uint8_t* rounded) {
  for (std::size_t i = 0; i < columns.lanes; ++i) {
    std::int32_t sum = 0;
    for (std::size_t tap = 0; tap < 2 * columns.pairs; ++tap) {
      const std::uint32_t four = fours[tap / 4 * columns.lanes + i];
      sum += static_cast<std::int32_t>(four >> 8 * (tap % 4) & 0xFF) * weight_of(columns, i, tap);
    }
    rounded[i] = rounded_sum(sum);
  }
}

void sum_rows(const std::uint8_t* const* rows, const std::int32_t* weights, std::size_t pairs,
              std::uint8_t* out, std::size_t count) {
  sum_few(rows, weights, pairs, 0, count, out);
}

#else

using Bytes = Windows;
using Words = hw::Repartition<std::int16_t, Bytes>;
using Sums = hw::Repartition<std::int32_t, Bytes>;
using FewBytes = hw::Rebind<std::uint8_t, Sums>;

// Multiplies pairs of 16-bit inputs with their weights and adds the products to the sums for the
// upper and for the lower parts of the weights. The products are spread over each sum and its
// `more`; RearrangeToOddPlusEven combines the two to the sums of pairs.
HWY_INLINE void add_products(hw::Vec<Words> inputs, hw::Vec<Words> upper_weights,
                             hw::Vec<Words> lower_weights, hw::Vec<Sums>& upper,
                             hw::Vec<Sums>& more_upper, hw::Vec<Sums>& lower,
                             hw::Vec<Sums>& more_lower) {
  upper = hw::ReorderWidenMulAccumulate(Sums(), inputs, upper_weights, upper, more_upper);
  lower = hw::ReorderWidenMulAccumulate(Sums(), inputs, lower_weights, lower, more_lower);
}

// Computes 256 · upper + lower, the weighted sums, and rounds them to whole numbers. The result is
// not yet limited to 8 bits.
HWY_INLINE hw::Vec<Sums> rounded_sums(hw::Vec<Sums> upper, hw::Vec<Sums> lower) {
  const auto sum = hw::Add(hw::ShiftLeft<8>(upper), lower);
  return hw::ShiftRight<kWeightBits>(hw::Add(sum, hw::Set(Sums(), 1 << (kWeightBits - 1))));
}

// Selects two source values for each of four sums and widens them to 16 bits. The first sum gets
// the bytes kFirst and kFirst + kNext of a block, each further sum the bytes kStep later.
template <int kFirst, int kStep, int kNext>
HWY_INLINE hw::Vec<Words> inputs_of(hw::Vec<Bytes> windows) {
  constexpr int kSecond = kFirst + kStep, kThird = kSecond + kStep, kFourth = kThird + kStep;
  constexpr auto place = [](int at) { return static_cast<std::uint8_t>(at < 16 ? at : 0x80); };
  alignas(16) static constexpr std::uint8_t kPlaces[16] = {
      place(kFirst),          0x80, place(kFirst + kNext),  0x80, place(kSecond),        0x80,
      place(kSecond + kNext), 0x80, place(kThird),          0x80, place(kThird + kNext), 0x80,
      place(kFourth),         0x80, place(kFourth + kNext), 0x80};
  return hw::BitCast(Words(), hw::TableLookupBytesOr0(windows, hw::LoadDup128(Bytes(), kPlaces)));
}

// Computes the sums of one vector of lanes, from `lane` on, and writes them to `rounded`.
// windows_at(n) returns four source values of each lane, from value 4n on. In a block of it, lanes
// are kStep bytes apart and the values of a lane kNext bytes.
template <int kStep, int kNext, class WindowsAt>
HWY_INLINE void sum_lanes(const WeightedColumns& columns, std::size_t lane,
                          const WindowsAt& windows_at, std::uint8_t* rounded) {
  const std::int16_t* weights = columns.weights.data() + 2 * lane;
  const std::size_t stride = 2 * columns.lanes;
  auto upper = hw::Zero(Sums()), more_upper = upper, lower = upper, more_lower = upper;
  const auto add = [&](hw::Vec<Words> inputs) HWY_ATTR {
    add_products(inputs, hw::LoadU(Words(), weights), hw::LoadU(Words(), weights + stride), upper,
                 more_upper, lower, more_lower);
    weights += 2 * stride;
  };
  std::size_t pair = 0;
  for (; pair + 2 <= columns.pairs; pair += 2) {
    const auto windows = windows_at(pair / 2);
    add(inputs_of<0, kStep, kNext>(windows));
    add(inputs_of<2 * kNext, kStep, kNext>(windows));
  }
  if (pair < columns.pairs) add(inputs_of<0, kStep, kNext>(windows_at(pair / 2)));
  const auto sums = rounded_sums(hw::RearrangeToOddPlusEven(upper, more_upper),
                                 hw::RearrangeToOddPlusEven(lower, more_lower));
  hw::StoreU(hw::DemoteTo(FewBytes(), sums), FewBytes(), rounded + lane);
}

// `rounded` has room for a byte per lane.
void sum_rgb(const WeightedColumns& columns, const std::uint8_t* in, std::uint8_t* rounded,
             std::uint8_t* out) {
  for (std::size_t lane = 0; lane < columns.lanes; lane += hw::Lanes(Sums())) {
    const std::int32_t* starts = columns.starts.data() + lane / 4;
    const auto windows_at = [&](std::size_t n)
                                HWY_ATTR { return load_windows(Bytes(), in + 12 * n, starts); };
    sum_lanes<1, 3>(columns, lane, windows_at, rounded);
  }
  drop_fourths(rounded, columns.pixels, out);
}

// `fours`: see gray_fours.hpp.
void sum_gray(const WeightedColumns& columns, const std::uint32_t* fours, std::uint8_t* rounded) {
  const hw::RebindToUnsigned<Sums> integers;
  for (std::size_t lane = 0; lane < columns.lanes; lane += hw::Lanes(Sums())) {
    const auto windows_at = [&](std::size_t n) HWY_ATTR {
      return hw::BitCast(Bytes(), hw::LoadU(integers, fours + n * columns.lanes + lane));
    };
    sum_lanes<4, 1>(columns, lane, windows_at, rounded);
  }
}

// Makes pairs of 16-bit values from two rows: the bytes 4 · kQuarter to 4 · kQuarter + 3 of each
// block, one value from each row.
template <int kQuarter>
HWY_INLINE hw::Vec<Words> quarter_of(hw::Vec<Bytes> one, hw::Vec<Bytes> other) {
  const auto zero = hw::Zero(Bytes());
  const auto half = kQuarter < 2 ? hw::InterleaveLower(Bytes(), one, other)
                                 : hw::InterleaveUpper(Bytes(), one, other);
  return hw::BitCast(Words(), kQuarter % 2 == 0 ? hw::InterleaveLower(Bytes(), half, zero)
                                                : hw::InterleaveUpper(Bytes(), half, zero));
}

// Limits sums to 8 bits, and moves those of each block to bytes 4 * kQuarter to 4 * kQuarter + 3.
template <int kQuarter>
HWY_INLINE hw::Vec<Bytes> to_quarter(hw::Vec<Sums> sums) {
  constexpr auto place = [](int at) {
    return static_cast<std::uint8_t>(at / 4 == kQuarter ? at % 4 * 4 : 0x80);
  };
  alignas(16) static constexpr std::uint8_t kPlaces[16] = {
      place(0), place(1), place(2),  place(3),  place(4),  place(5),  place(6),  place(7),
      place(8), place(9), place(10), place(11), place(12), place(13), place(14), place(15)};
  const auto limited = hw::Min(hw::Max(sums, hw::Zero(Sums())), hw::Set(Sums(), 255));
  return hw::TableLookupBytesOr0(hw::BitCast(Bytes(), limited), hw::LoadDup128(Bytes(), kPlaces));
}

// Sums a quarter of a vector of samples from `at` on.
template <int kQuarter>
HWY_INLINE hw::Vec<Bytes> sum_quarter(const std::uint8_t* const* rows, const std::int32_t* weights,
                                      std::size_t pairs, std::size_t at) {
  auto upper = hw::Zero(Sums()), more_upper = upper, lower = upper, more_lower = upper;
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const auto inputs = quarter_of<kQuarter>(hw::LoadU(Bytes(), rows[2 * pair] + at),
                                             hw::LoadU(Bytes(), rows[2 * pair + 1] + at));
    add_products(inputs, hw::BitCast(Words(), hw::Set(Sums(), weights[2 * pair])),
                 hw::BitCast(Words(), hw::Set(Sums(), weights[2 * pair + 1])), upper, more_upper,
                 lower, more_lower);
  }
  return to_quarter<kQuarter>(rounded_sums(hw::RearrangeToOddPlusEven(upper, more_upper),
                                           hw::RearrangeToOddPlusEven(lower, more_lower)));
}

HWY_INLINE void sum_vector(const std::uint8_t* const* rows, const std::int32_t* weights,
                           std::size_t pairs, std::size_t at, std::uint8_t* out) {
  const auto first_half =
      hw::Or(sum_quarter<0>(rows, weights, pairs, at), sum_quarter<1>(rows, weights, pairs, at));
  const auto second_half =
      hw::Or(sum_quarter<2>(rows, weights, pairs, at), sum_quarter<3>(rows, weights, pairs, at));
  hw::StoreU(hw::Or(first_half, second_half), Bytes(), out + at);
}

void sum_rows(const std::uint8_t* const* rows, const std::int32_t* weights, std::size_t pairs,
              std::uint8_t* out, std::size_t count) {
  const std::size_t step = hw::Lanes(Bytes());
  if (count < step) return sum_few(rows, weights, pairs, 0, count, out);
  for (std::size_t at = 0; at + step <= count; at += step)
    sum_vector(rows, weights, pairs, at, out);
  // The last vector overlaps the one before.
  if (count % step != 0) sum_vector(rows, weights, pairs, count - step, out);
}

#endif

}  // namespace hotpack::geometry::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hotpack::geometry {
namespace {

HWY_EXPORT(sum_rgb);
HWY_EXPORT(sum_gray);
HWY_EXPORT(sum_rows);

constexpr std::size_t kMostLanes = 16;  // of a vector

std::int16_t upper_part(std::int32_t weight) { return static_cast<std::int16_t>(weight >> 8); }
std::int16_t lower_part(std::int32_t weight) { return static_cast<std::int16_t>(weight & 0xFF); }

// Two 16-bit numbers as vector code reads them.
std::int32_t two(std::int16_t first, std::int16_t second) {
  const std::int16_t numbers[2] = {first, second};
  std::int32_t both;
  std::memcpy(&both, numbers, sizeof both);
  return both;
}

}  // namespace

void ColumnSummer::update(const AxisRange& range, const AxisWeights& columns, int channels) {
  if (range_ == range && channels_ == channels) return;
  range_ = {};  // stays reset if an allocation below fails
  channels_ = channels;
  const std::size_t lanes_per_pixel = channels == 3 ? 4 : 1;
  columns_.pixels = static_cast<std::size_t>(range.count);
  columns_.lanes = (columns_.pixels * lanes_per_pixel + kMostLanes - 1) / kMostLanes * kMostLanes;
  int longest = 1;
  for (int i = 0; i < range.count; ++i) longest = std::max(longest, columns.window(i).count);
  columns_.pairs = static_cast<std::size_t>(longest + 1) / 2;
  columns_.starts.assign(columns_.lanes / lanes_per_pixel, 0);
  columns_.weights.assign(4 * columns_.pairs * columns_.lanes, 0);
  rounded_.resize(columns_.lanes);
  fours_.resize(channels == 3 ? 0 : (columns_.pairs + 1) / 2 * columns_.lanes);
  range_ = range;
  for (int i = 0; i < range.count; ++i) fill(static_cast<std::size_t>(i), columns.window(i));
}

// Starts earlier if the window would otherwise end beyond the row.
void ColumnSummer::fill(std::size_t pixel, const AxisWeights::Window& window) {
  const int taps = 2 * static_cast<int>(columns_.pairs);
  const int start = std::clamp(range_.source - taps, 0, window.first);
  columns_.starts[pixel] = start * channels_;
  const std::size_t lanes_per_pixel = channels_ == 3 ? 4 : 1;
  const int skipped = window.first - start;
  for (int k = 0; k < window.count; ++k) {
    const auto tap = static_cast<std::size_t>(skipped) + static_cast<std::size_t>(k);
    std::int16_t* upper = &columns_.weights[tap / 2 * 4 * columns_.lanes];
    std::int16_t* lower = upper + 2 * columns_.lanes;
    for (std::size_t lane = pixel * lanes_per_pixel; lane < (pixel + 1) * lanes_per_pixel; ++lane) {
      upper[2 * lane + tap % 2] = upper_part(window.weights[k]);
      lower[2 * lane + tap % 2] = lower_part(window.weights[k]);
    }
  }
}

void ColumnSummer::sum(const ConstPixels& source, int y, std::uint8_t* out) {
  sum(rows_.row(source, y), out);
}

void ColumnSummer::sum(const std::uint8_t* in, std::uint8_t* out) {
  if (channels_ == 3) {
    HWY_DYNAMIC_DISPATCH(sum_rgb)(columns_, in, rounded_.data(), out);
    return;
  }
  collect_fours(columns_.starts, 2 * columns_.pairs, in, fours_.data());
  HWY_DYNAMIC_DISPATCH(sum_gray)(columns_, fours_.data(), rounded_.data());
  std::memcpy(out, rounded_.data(), columns_.pixels);
}

void RowSummer::sum(const AxisWeights::Window& window, std::uint8_t* out, std::size_t count) {
  weights_.clear();
  for (int k = 0; k < window.count; k += 2) {
    const std::int32_t first = window.weights[k];
    const std::int32_t second = k + 1 < window.count ? window.weights[k + 1] : 0;
    weights_.push_back(two(upper_part(first), upper_part(second)));
    weights_.push_back(two(lower_part(first), lower_part(second)));
  }
  if (rows_.size() % 2 != 0) rows_.push_back(rows_.back());
  HWY_DYNAMIC_DISPATCH(sum_rows)(rows_.data(), weights_.data(), rows_.size() / 2, out, count);
}

}  // namespace hotpack::geometry
#endif
