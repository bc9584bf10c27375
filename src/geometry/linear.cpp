#include "geometry/linear.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "geometry/opencv_scale.hpp"

// Highway compiles the rest of this file once per vector instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "geometry/linear.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "geometry/vector_pixels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hotpack::geometry::HWY_NAMESPACE {
namespace hw = hwy::HWY_NAMESPACE;

HWY_INLINE std::uint8_t combined(int top, int top_weight, int bottom, int bottom_weight) {
  return static_cast<std::uint8_t>(
      (((top * top_weight) >> 16) + ((bottom * bottom_weight) >> 16) + 2) >> 2);
}

#if HWY_TARGET == HWY_SCALAR

void combine_columns(const LinearColumns& columns, const std::uint8_t* in, std::int16_t* out) {
  for (std::size_t i = 0; i < columns.starts.size() * LinearColumns::kBlock; ++i) {
    const std::size_t block = i / LinearColumns::kBlock, pair = i / 2;
    const std::uint8_t* window = in + columns.starts[block];
    const std::uint8_t* places = &columns.places[i % 2][4 * pair];
    const std::int16_t* weights = &columns.weights[i % 2][2 * pair];
    const int sum = window[places[0]] * weights[0] + window[places[2]] * weights[1];
    out[i] = static_cast<std::int16_t>(sum >> 4);
  }
}

void combine_far_rgb(const LinearColumns& columns, const std::uint8_t* in, std::int16_t* out) {
  for (std::size_t i = 0; i < columns.far_starts.size() * 3; ++i) {
    const std::uint8_t* input = in + columns.far_starts[i / 3] + i % 3;
    const std::int16_t* weights = &columns.far_weights[i / 3 * 2];
    out[i] = static_cast<std::int16_t>((input[0] * weights[0] + input[3] * weights[1]) >> 4);
  }
}

void combine_gray_pairs(const LinearColumns& columns, const std::uint8_t* pairs,
                        std::int16_t* out) {
  for (std::size_t i = 0; i < columns.far_starts.size(); ++i) {
    const std::int16_t* weights = &columns.far_weights[2 * i];
    const int sum = pairs[2 * i] * weights[0] + pairs[2 * i + 1] * weights[1];
    out[i] = static_cast<std::int16_t>(sum >> 4);
  }
}

void combine_rows(const std::int16_t* top, const std::int16_t* bottom, const LinearTap& tap,
                  std::uint8_t* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    out[i] = combined(top[i], tap.first_weight, bottom[i], tap.second_weight);
}

#else

using Words = hw::Repartition<std::int16_t, Windows>;
using Sums = hw::Repartition<std::int32_t, Windows>;

// The sums of neighboring inputs, weighted.
template <class WordVector, class SumTag>
HWY_INLINE hw::Vec<SumTag> pair_sums(SumTag sums, WordVector inputs, WordVector weights) {
  auto odd = hw::Zero(sums);
  const auto even = hw::ReorderWidenMulAccumulate(sums, inputs, weights, hw::Zero(sums), odd);
  return hw::RearrangeToOddPlusEven(even, odd);
}

// The weighted sums of the even or the odd samples of blocks.
HWY_INLINE hw::Vec<Sums> block_sums(hw::Vec<Windows> windows, const std::uint8_t* places,
                                    const std::int16_t* weights) {
  const auto inputs = hw::TableLookupBytesOr0(windows, hw::LoadU(Windows(), places));
  return pair_sums(Sums(), hw::BitCast(Words(), inputs), hw::LoadU(Words(), weights));
}

// Writes the sums of all blocks, divided by 16.
void combine_columns(const LinearColumns& columns, const std::uint8_t* in, std::int16_t* out) {
  const std::int32_t* starts = columns.starts.data();
  const std::uint8_t *even_places = columns.places[0].data(),
                     *odd_places = columns.places[1].data();
  const std::int16_t *even_weights = columns.weights[0].data(),
                     *odd_weights = columns.weights[1].data();
  const std::size_t blocks = columns.starts.size();
  for (std::size_t block = 0; block < blocks; block += kWindows) {
    const auto windows = load_windows(Windows(), in, starts + block);
    const auto even = block_sums(windows, even_places + 16 * block, even_weights + 8 * block);
    const auto odd = block_sums(windows, odd_places + 16 * block, odd_weights + 8 * block);
    // The even samples move to the lower halves of the sums, the odd ones to the upper halves.
    const auto words = hw::OddEven(hw::BitCast(Words(), hw::ShiftLeft<12>(odd)),
                                   hw::BitCast(Words(), hw::ShiftRight<4>(even)));
    hw::StoreU(words, Words(), out + 8 * block);
  }
}

// Combines the two source pixels of each output column, for RGB pixels whose sources are far apart,
// two pixels at a time. Writes the sums divided by 16. Writes two values beyond the end of `out`,
// and reads 16 bytes from each start.
void combine_far_rgb(const LinearColumns& columns, const std::uint8_t* in, std::int16_t* out) {
  const hw::FixedTag<std::uint8_t, 16> bytes;
  const hw::Repartition<std::int16_t, decltype(bytes)> words;
  const hw::Repartition<std::int32_t, decltype(bytes)> sums;
  // Red, red of the next pixel, green, green of the next pixel, and so on, as 16-bit words.
  alignas(16) static constexpr std::uint8_t kPairs[16] = {0, 0x80, 3, 0x80, 1,    0x80, 4,    0x80,
                                                          2, 0x80, 5, 0x80, 0x80, 0x80, 0x80, 0x80};
  // From red, red, green, green, blue, blue of two pixels to one pixel after the other.
  alignas(16) static constexpr std::uint8_t kPixels[16] = {0, 1, 4,  5,  8,    9,    2,    3,
                                                           6, 7, 10, 11, 0x80, 0x80, 0x80, 0x80};
  const auto pairs = hw::Load(bytes, kPairs), pixels = hw::Load(bytes, kPixels);
  const auto sum_of = [&](std::size_t x) HWY_ATTR {
    std::int32_t weights;
    std::memcpy(&weights, &columns.far_weights[2 * x], sizeof weights);
    const auto window = hw::LoadU(bytes, in + columns.far_starts[x]);
    return pair_sums(sums, hw::BitCast(words, hw::TableLookupBytesOr0(window, pairs)),
                     hw::BitCast(words, hw::Set(sums, weights)));
  };
  for (std::size_t x = 0; x < columns.far_starts.size(); x += 2) {
    const auto both = hw::OddEven(hw::BitCast(words, hw::ShiftLeft<12>(sum_of(x + 1))),
                                  hw::BitCast(words, hw::ShiftRight<4>(sum_of(x))));
    const auto in_order = hw::TableLookupBytesOr0(hw::BitCast(bytes, both), pixels);
    hw::StoreU(hw::BitCast(words, in_order), words, out + 3 * x);
  }
}

// Writes the sums of pairs of gray pixels, divided by 16.
void combine_gray_pairs(const LinearColumns& columns, const std::uint8_t* pairs,
                        std::int16_t* out) {
  const hw::ScalableTag<std::int16_t> words;
  const hw::RepartitionToWide<decltype(words)> sums;
  const hw::Rebind<std::uint8_t, decltype(words)> bytes;
  const hw::Half<decltype(words)> half_words;
  for (std::size_t i = 0; i < columns.far_starts.size(); i += hw::Lanes(sums)) {
    const auto inputs = hw::PromoteTo(words, hw::LoadU(bytes, pairs + 2 * i));
    const auto weights = hw::LoadU(words, &columns.far_weights[2 * i]);
    const auto sum = hw::ShiftRight<4>(pair_sums(sums, inputs, weights));
    hw::StoreU(hw::DemoteTo(half_words, sum), half_words, out + i);
  }
}

void combine_rows(const std::int16_t* top, const std::int16_t* bottom, const LinearTap& tap,
                  std::uint8_t* out, std::size_t count) {
  const hw::ScalableTag<std::int16_t> words;
  const hw::Rebind<std::uint8_t, decltype(words)> bytes;
  const auto top_weight = hw::Set(words, tap.first_weight);
  const auto bottom_weight = hw::Set(words, tap.second_weight);
  const auto half = hw::Set(words, 2);
  std::size_t i = 0;
  for (; i + hw::Lanes(words) <= count; i += hw::Lanes(words)) {
    const auto sum = hw::Add(hw::MulHigh(hw::LoadU(words, top + i), top_weight),
                             hw::MulHigh(hw::LoadU(words, bottom + i), bottom_weight));
    hw::StoreU(hw::DemoteTo(bytes, hw::ShiftRight<2>(hw::Add(sum, half))), bytes, out + i);
  }
  for (; i < count; ++i) out[i] = combined(top[i], tap.first_weight, bottom[i], tap.second_weight);
}

#endif

}  // namespace hotpack::geometry::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hotpack::geometry {
namespace {

HWY_EXPORT(combine_columns);
HWY_EXPORT(combine_far_rgb);
HWY_EXPORT(combine_gray_pairs);
HWY_EXPORT(combine_rows);

constexpr std::size_t kSamplesPerVector = 32;  // at most
constexpr std::uint8_t kNoPlace = 0x80;        // selects a zero

// Rounds half to even.
std::int16_t in_2048ths(float weight) {
  return static_cast<std::int16_t>(std::nearbyint(weight * 2048.0f));
}

// The place of an output between the inputs k and k + 1.
struct Place {
  int k;
  float fraction;
};

Place place_of(const LinearAxis& axis, int output) {
  const double scale = opencv_scale(axis.source, axis.target);
  if (axis.rule == LinearRule::linear) {
    const auto at = static_cast<float>((output + 0.5) * scale - 0.5);
    const int k = static_cast<int>(std::floor(at));
    return {k, at - static_cast<float>(k)};
  }
  const int k = static_cast<int>(std::floor(output * scale));
  const double inverse = static_cast<double>(axis.target) / axis.source;
  const auto fraction = static_cast<float>((output + 1) - (k + 1) * inverse);
  return {k, fraction <= 0.0f ? 0.0f : fraction - std::floor(fraction)};
}

// Copies two neighboring inputs of each gray output.
void collect_pairs(const LinearColumns& columns, const std::uint8_t* in, std::uint8_t* pairs) {
  for (const std::int32_t start : columns.far_starts) {
    std::memcpy(pairs, in + start, 2);
    pairs += 2;
  }
}

}  // namespace

LinearTap linear_tap(const LinearAxis& axis, int output) {
  auto [k, fraction] = place_of(axis, output);
  const int last = axis.source - 1;
  if (axis.columns && (k < 0 || k >= last)) fraction = 0.0f;
  return {std::clamp(k, 0, last), std::clamp(k + 1, 0, last), in_2048ths(1.0f - fraction),
          in_2048ths(fraction)};
}

void LinearResizer::update_columns(const LinearAxis& axis, int channels) {
  if (columns_axis_ == axis && channels_ == channels) return;
  columns_axis_ = {};  // reset until all is made, because an allocation may fail
  channels_ = channels;
  taps_.clear();
  for (int i = 0; i < axis.count; ++i) taps_.push_back(linear_tap(axis, axis.first + i));
  const std::size_t samples = taps_.size() * static_cast<std::size_t>(channels);
  const std::size_t vectors = samples / kSamplesPerVector + 1;
  slot_samples_ = vectors * kSamplesPerVector + LinearColumns::kBlock;
  const std::size_t blocks = vectors * kSamplesPerVector / LinearColumns::kBlock;
  columns_.starts.resize(blocks);
  for (auto& places : columns_.places) places.resize(blocks * 16);
  for (auto& weights : columns_.weights) weights.resize(blocks * 8);
  narrow_ = true;
  for (std::size_t block = 0; block < blocks; ++block) fill_block(block);
  if (!narrow_) fill_far_columns();
  columns_axis_ = axis;
}

// Pixels beyond the last one repeat it.
void LinearResizer::fill_far_columns() {
  const std::size_t unit = channels_ == 3 ? 2 : kSamplesPerVector;
  const std::size_t pixels = (taps_.size() + unit - 1) / unit * unit;
  columns_.far_starts.clear();
  columns_.far_weights.clear();
  for (std::size_t x = 0; x < pixels; ++x) {
    const LinearTap& tap = taps_[std::min(x, taps_.size() - 1)];
    columns_.far_starts.push_back(tap.first * channels_);
    columns_.far_weights.push_back(tap.first_weight);
    columns_.far_weights.push_back(tap.second_weight);
  }
  pairs_.resize(channels_ == 3 ? 0 : 2 * pixels);
}

// Samples beyond the last column repeat the last one.
void LinearResizer::fill_block(std::size_t block) {
  const auto channels = static_cast<std::size_t>(channels_);
  const auto tap_of = [&](std::size_t i) -> const LinearTap& {
    return taps_[std::min((block * LinearColumns::kBlock + i) / channels, taps_.size() - 1)];
  };
  const std::size_t start = static_cast<std::size_t>(tap_of(0).first) * channels;
  columns_.starts[block] = static_cast<std::int32_t>(start);
  for (std::size_t i = 0; i < LinearColumns::kBlock; ++i) {
    const LinearTap& tap = tap_of(i);
    const std::size_t channel = (block * LinearColumns::kBlock + i) % channels;
    const auto place_of_input = [&](int input) {
      return static_cast<std::size_t>(input) * channels + channel - start;
    };
    const std::size_t first = place_of_input(tap.first);
    const std::size_t second = tap.second_weight == 0 ? first : place_of_input(tap.second);
    narrow_ = narrow_ && second < 16;
    std::uint8_t* places = &columns_.places[i % 2][16 * block + 4 * (i / 2)];
    places[0] = static_cast<std::uint8_t>(first);
    places[2] = static_cast<std::uint8_t>(second);
    places[1] = places[3] = kNoPlace;
    std::int16_t* weights = &columns_.weights[i % 2][8 * block + 2 * (i / 2)];
    weights[0] = tap.first_weight;
    weights[1] = tap.second_weight;
  }
}

const std::int16_t* LinearResizer::combined_columns(const ConstPixels& source, int y) {
  const auto slot = static_cast<std::size_t>(y % 2);
  auto* out = reinterpret_cast<std::int16_t*>(slots_.data()) + slot * slot_samples_;
  if (slot_rows_[slot] == y) return out;
  slot_rows_[slot] = y;
  const std::uint8_t* in = rows_.row(source, y);
  if (narrow_) {
    HWY_DYNAMIC_DISPATCH(combine_columns)(columns_, in, out);
  } else if (channels_ == 3) {
    HWY_DYNAMIC_DISPATCH(combine_far_rgb)(columns_, in, out);
  } else {
    collect_pairs(columns_, in, pairs_.data());
    HWY_DYNAMIC_DISPATCH(combine_gray_pairs)(columns_, pairs_.data(), out);
  }
  return out;
}

void LinearResizer::resample(const ConstPixels& source, const Region& region, LinearRule rule,
                             const MutablePixels& out) {
  const int left = -region.x, top = -region.y;
  update_columns({rule, true, source.width, region.width, left, out.width}, source.channels);
  slots_.reserve_as<std::int16_t>(2 * slot_samples_);
  slot_rows_ = {-1, -1};
  const LinearAxis rows{rule, false, source.height, region.height, top, out.height};
  for (int y = 0; y < out.height; ++y) {
    const LinearTap tap = linear_tap(rows, top + y);
    const std::int16_t* first = combined_columns(source, tap.first);
    const std::int16_t* second = combined_columns(source, tap.second);
    HWY_DYNAMIC_DISPATCH(combine_rows)
    (first, second, tap, out.row(y),
     static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.channels));
  }
}

}  // namespace hotpack::geometry
#endif
