#include "limit/resize.hpp"

#define HWY_COMPILE_ONLY_STATIC  // for this processor
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace limit {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kLinearBits = 11, kAreaBits = 14;
constexpr int kRowShift = 4;                 // of a stretched row, to fit 16 bits
constexpr int kColumnShift = kAreaBits - 7;  // leaves 7 fractional bits
constexpr int kAreaShift = kAreaBits + 7;

// (upper · above + lower · below) / 2^22, as OpenCV rounds it.
void blend_rows(const std::int16_t* above, const std::int16_t* below, std::int16_t upper,
                std::int16_t lower, std::size_t count, std::uint8_t* out) {
  const hn::ScalableTag<std::int16_t> d;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  const auto w0 = hn::Set(d, upper), w1 = hn::Set(d, lower), half = hn::Set(d, std::int16_t{2});
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto sum =
        hn::Add(hn::MulHigh(hn::LoadU(d, above + i), w0), hn::MulHigh(hn::LoadU(d, below + i), w1));
    hn::StoreU(hn::DemoteTo(d8, hn::ShiftRight<2>(hn::Add(sum, half))), d8, out + i);
  }
}

}  // namespace

void Resizer::LinearAxis::update(int wanted_source, int wanted_target) {
  if (source == wanted_source && target == wanted_target) return;
  source = wanted_source, target = wanted_target;
  first.clear(), weights.clear();
  const double step = 1.0 / (static_cast<double>(target) / source);
  for (int i = 0; i < target; ++i) {
    float place = static_cast<float>((i + 0.5) * step - 0.5);
    const int whole = static_cast<int>(std::floor(place));
    place -= static_cast<float>(whole);
    first.push_back(whole);
    for (const float weight : {1.0f - place, place})
      weights.push_back(static_cast<std::int16_t>(std::lrint(weight * (1 << kLinearBits))));
  }
}

void Resizer::update_pairs(int channels) {
  if (pairs_source_ == columns_.source && pairs_target_ == columns_.target &&
      pairs_channels_ == channels)
    return;
  pairs_source_ = columns_.source, pairs_target_ = columns_.target, pairs_channels_ = channels;
  const int samples = columns_.target * channels;
  pairs_.assign(static_cast<std::size_t>(samples + 7) / 8, {});
  const auto first_byte = [&](int sample) {
    const int pixel = columns_.first[static_cast<std::size_t>(sample / channels)];
    return std::clamp(pixel, 0, columns_.source - 1) * channels + sample % channels;
  };
  for (int sample = 0; sample < samples; ++sample) {
    Pairs& pairs = pairs_[static_cast<std::size_t>(sample / 8)];
    const int half = sample / 4 % 2, lane = sample % 4;
    const std::size_t axis = static_cast<std::size_t>(sample / channels);
    if (lane == 0) {
      // The smallest place of the four: channels wrap around.
      pairs.offset[half] = first_byte(sample) - sample % channels;
      std::memset(pairs.places[half], 128, 16);
    }
    const int place = first_byte(sample) - pairs.offset[half];
    pairs.places[half][4 * lane] = static_cast<std::uint8_t>(place);
    pairs.places[half][4 * lane + 2] = static_cast<std::uint8_t>(place + channels);
    const int pixel = columns_.first[axis];
    const bool inside = pixel >= 0 && pixel < columns_.source - 1;
    pairs.weights[half][2 * lane] =
        inside ? columns_.weights[2 * axis] : std::int16_t{1 << kLinearBits};
    pairs.weights[half][2 * lane + 1] = inside ? columns_.weights[2 * axis + 1] : std::int16_t{0};
  }
}

void Resizer::stretch_row(const std::uint8_t* in, int channels, std::int16_t* out) const {
  if (columns_.source > columns_.target) {  // pairs lie too far apart for a shuffle
    for (std::size_t x = 0; x < columns_.first.size(); ++x) {
      const int left = std::clamp(columns_.first[x], 0, columns_.source - 1);
      const bool inside = columns_.first[x] == left && left < columns_.source - 1;
      const int w0 = inside ? columns_.weights[2 * x] : 1 << kLinearBits,
                w1 = inside ? columns_.weights[2 * x + 1] : 0;
      for (int c = 0; c < channels; ++c, ++out) {
        const std::uint8_t* pixel = in + left * channels + c;
        *out = static_cast<std::int16_t>((pixel[0] * w0 + pixel[channels] * w1) >> kRowShift);
      }
    }
    return;
  }
  const hn::FixedTag<std::uint8_t, 16> d8;
  const hn::FixedTag<std::int16_t, 8> d16;
  const hn::FixedTag<std::int32_t, 4> d32;
  for (const Pairs& pairs : pairs_) {
    const auto four = [&](int half) {
      const auto bytes = hn::LoadU(d8, in + pairs.offset[half]);
      const auto samples =
          hn::BitCast(d16, hn::TableLookupBytesOr0(bytes, hn::LoadU(d8, pairs.places[half])));
      auto odd = hn::Zero(d32);
      const auto even = hn::ReorderWidenMulAccumulate(
          d32, samples, hn::LoadU(d16, pairs.weights[half]), hn::Zero(d32), odd);
      return hn::ShiftRight<kRowShift>(hn::RearrangeToOddPlusEven(even, odd));
    };
    hn::StoreU(hn::ReorderDemote2To(d16, four(0), four(1)), d16, out);
    out += 8;
  }
}

void Resizer::linear(const Image& in, int width, int height, std::uint8_t* out) {
  columns_.update(in.width, width);
  rows_.update(in.height, height);
  update_pairs(in.channels);
  const std::size_t samples =
      static_cast<std::size_t>(width) * static_cast<std::size_t>(in.channels);
  std::int16_t* rows[2] = {stretched_[0].reserve_as<std::int16_t>(samples),
                           stretched_[1].reserve_as<std::int16_t>(samples)};
  int held[2] = {-1, -1};
  for (int y = 0; y < height; ++y, out += samples) {
    const auto at = static_cast<std::size_t>(y);
    const int wanted[2] = {std::clamp(rows_.first[at], 0, in.height - 1),
                           std::clamp(rows_.first[at] + 1, 0, in.height - 1)};
    if (held[1] == wanted[0]) {
      std::swap(rows[0], rows[1]);
      std::swap(held[0], held[1]);
    }
    for (int i = 0; i < 2; ++i) {
      if (held[i] == wanted[i]) continue;
      stretch_row(in.row(wanted[i]), in.channels, rows[i]);
      held[i] = wanted[i];
    }
    blend_rows(rows[0], rows[1], rows_.weights[2 * at], rows_.weights[2 * at + 1], samples, out);
  }
}

void Resizer::AreaAxis::update(int wanted_source, int wanted_target) {
  if (source == wanted_source && target == wanted_target) return;
  source = wanted_source, target = wanted_target;
  spans.clear();
  const double step = static_cast<double>(source) / target;
  const auto fixed = [&](double share) {
    return share < 1e-3 ? std::int16_t{0}
                        : static_cast<std::int16_t>(std::lround(share * (1 << kAreaBits) / step));
  };
  for (int i = 0; i < target; ++i) {
    const double from = i * step, to = std::min(from + step, static_cast<double>(source));
    const int first = static_cast<int>(std::ceil(from - 1e-9)),
              end = static_cast<int>(std::floor(to + 1e-9));
    spans.push_back({first, end - first, fixed(first - from), fixed(1.0), fixed(to - end)});
  }
}

// Weights of whole columns, as many for each output; there may be zeros at the end.
void Resizer::update_taps() {
  if (taps_source_ == area_columns_.source && taps_target_ == area_columns_.target) return;
  taps_source_ = area_columns_.source, taps_target_ = area_columns_.target;
  taps_ = 0;
  for (const AreaAxis::Span& span : area_columns_.spans)
    taps_ = std::max(taps_, static_cast<std::size_t>(span.count) + 2);
  taps_ += taps_ % 2;
  tap_weights_.clear();
  for (const AreaAxis::Span& span : area_columns_.spans) {
    const std::size_t end = tap_weights_.size() + taps_;
    if (span.head > 0) tap_weights_.push_back(span.head);
    tap_weights_.insert(tap_weights_.end(), static_cast<std::size_t>(span.count), span.middle);
    tap_weights_.push_back(span.tail);
    tap_weights_.resize(end);
  }
}

// One row of sums over `span`'s rows, with 7 fractional bits.
void Resizer::shrink_columns(const Image& in, const AreaAxis::Span& span, std::int16_t* out) const {
  const hn::ScalableTag<std::int16_t> d16;
  const hn::Rebind<std::uint8_t, decltype(d16)> d8;
  const hn::Repartition<std::int32_t, decltype(d16)> d32;
  const std::uint8_t* head = in.row(span.head > 0 ? span.first - 1 : span.first);
  const std::uint8_t* tail = in.row(span.tail > 0 ? span.first + span.count : span.first);
  const auto w = hn::Set(d16, span.middle), w_head = hn::Set(d16, span.head),
             w_tail = hn::Set(d16, span.tail), zero = hn::Zero(d16);
  const auto weights = hn::InterleaveLower(d16, w, w_head);
  const auto last_weights = hn::InterleaveLower(d16, w_tail, zero);
  for (std::size_t i = 0; i < in.row_samples(); i += hn::Lanes(d16)) {
    const auto load = [&](const std::uint8_t* row) {
      return hn::PromoteTo(d16, hn::LoadU(d8, row + i));
    };
    auto middle = zero;
    for (int y = 0; y < span.count; ++y) middle = hn::Add(middle, load(in.row(span.first + y)));
    const auto before = load(head), after = load(tail);
    const auto weighted = [&](auto pairs, auto last_pairs) {
      auto odd = hn::Zero(d32);
      auto even = hn::ReorderWidenMulAccumulate(d32, pairs, weights, hn::Zero(d32), odd);
      even = hn::ReorderWidenMulAccumulate(d32, last_pairs, last_weights, even, odd);
      return hn::ShiftRight<kColumnShift>(hn::RearrangeToOddPlusEven(even, odd));
    };
    const auto lower =
        weighted(hn::InterleaveLower(d16, middle, before), hn::InterleaveLower(d16, after, zero));
    const auto upper =
        weighted(hn::InterleaveUpper(d16, middle, before), hn::InterleaveUpper(d16, after, zero));
    hn::StoreU(hn::ReorderDemote2To(d16, lower, upper), d16, out + i);
  }
}

void Resizer::shrink_row(const std::int16_t* in, int channels, std::uint8_t* out) const {
  const hn::FixedTag<std::int32_t, 4> d32;
  const hn::FixedTag<std::int16_t, 8> d16;
  const hn::FixedTag<std::uint8_t, 4> d8;
  const auto half = hn::Set(d32, 1 << (kAreaShift - 1));
  const std::int16_t* weights = tap_weights_.data();
  for (const AreaAxis::Span& span : area_columns_.spans) {
    const std::int16_t* pixel = in + (span.head > 0 ? span.first - 1 : span.first) * channels;
    auto even = half, odd = hn::Zero(d32);
    for (std::size_t tap = 0; tap < taps_; tap += 2, pixel += 2 * channels, weights += 2) {
      const auto pairs =
          hn::InterleaveLower(d16, hn::LoadU(d16, pixel), hn::LoadU(d16, pixel + channels));
      std::int32_t both;
      std::memcpy(&both, weights, sizeof both);
      even = hn::ReorderWidenMulAccumulate(d32, pairs, hn::BitCast(d16, hn::Set(d32, both)), even,
                                           odd);
    }
    const auto sum = hn::ShiftRight<kAreaShift>(hn::RearrangeToOddPlusEven(even, odd));
    hn::StoreU(hn::DemoteTo(d8, sum), d8, out);
    out += channels;
  }
}

void Resizer::area(const Image& in, int width, int height, std::uint8_t* out) {
  area_columns_.update(in.width, width);
  area_rows_.update(in.height, height);
  update_taps();
  std::int16_t* sums = sums_.reserve_as<std::int16_t>(in.row_samples());
  for (const AreaAxis::Span& span : area_rows_.spans) {
    shrink_columns(in, span, sums);
    shrink_row(sums, in.channels, out);
    out += static_cast<std::size_t>(width) * static_cast<std::size_t>(in.channels);
  }
}

void Resizer::resize(const Image& in, int width, int height, std::uint8_t* out) {
  if (in.width == width && in.height == height) {
    for (int y = 0; y < height; ++y)
      std::memcpy(out + static_cast<std::size_t>(y) * in.row_samples(), in.row(y),
                  in.row_samples());
  } else if (width < in.width && height < in.height) {
    area(in, width, height, out);
  } else {
    linear(in, width, height, out);
  }
}

}  // namespace limit
