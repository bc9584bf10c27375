#include "geometry/area.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "geometry/gray_fours.hpp"
#include "geometry/opencv_scale.hpp"

// Highway compiles the rest of this file once per vector instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "geometry/area.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "geometry/vector_pixels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hotpack::geometry::HWY_NAMESPACE {
namespace hw = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
using Floats = hw::ScalableTag<float>;
#else
using Floats = hw::Repartition<float, Windows>;
#endif
using Ints = hw::RebindToSigned<Floats>;
using FewBytes = hw::Rebind<std::uint8_t, Floats>;
using Lanes = hw::Vec<Floats>;

// The results are those of a product and a sum that are rounded separately: never a fused one.
HWY_INLINE Lanes plus_product(Lanes sum, Lanes factor, Lanes other) {
  return hw::Add(sum, hw::Mul(factor, other));
}

// Adds a row to the sums of some lanes, as `step` says.
HWY_INLINE void take_step(Lanes row, const AreaStep& step, float* sums, std::uint8_t* rounded) {
  const auto share = hw::Set(Floats(), step.share);
  auto sum = step.adds ? plus_product(hw::LoadU(Floats(), sums), share, row) : hw::Mul(share, row);
  if (step.ends) hw::StoreU(hw::DemoteTo(FewBytes(), hw::NearestInt(sum)), FewBytes(), rounded);
  if (step.starts) sum = hw::Mul(hw::Set(Floats(), step.next_share), row);
  if (!step.ends || step.starts) hw::StoreU(sum, Floats(), sums);
}

// Adds a row of gray source pixels to the sums of an output row. `fours` contains the source pixels
// in groups of four, one per byte of an integer: first pixels 0 to 3 of all outputs, then pixels 4
// to 7 of all outputs, and so on.
void add_gray_row(const AreaColumns& columns, const std::uint32_t* fours, const AreaStep& step,
                  float* sums, std::uint8_t* rounded) {
  const hw::RebindToUnsigned<Ints> unsigned_ints;
  const auto low_byte = hw::Set(Ints(), 0xFF);
  const float* shares = columns.shares.data();
  for (std::size_t lane = 0; lane < columns.lanes; lane += hw::Lanes(Floats())) {
    auto row = hw::Zero(Floats());
    for (std::size_t tap = 0; tap < columns.taps;) {
      auto inputs = hw::LoadU(unsigned_ints, fours + tap / 4 * columns.lanes + lane);
      const std::size_t end = std::min(tap + 4, columns.taps);
      for (; tap < end; ++tap) {
        const auto input = hw::ConvertTo(Floats(), hw::And(hw::BitCast(Ints(), inputs), low_byte));
        row = plus_product(row, input, hw::LoadU(Floats(), shares + tap * columns.lanes + lane));
        inputs = hw::ShiftRight<8>(inputs);
      }
    }
    take_step(row, step, sums + lane, rounded + lane);
  }
}

#if HWY_TARGET == HWY_SCALAR

void add_rgb_row(const AreaColumns& columns, const std::uint8_t* in, const AreaStep& step,
                 float* sums, std::uint8_t* rounded) {
  for (std::size_t lane = 0; lane < columns.lanes; ++lane) {
    auto row = hw::Zero(Floats());
    const std::uint8_t* input = in + columns.starts[lane / 4] + lane % 4;
    for (std::size_t tap = 0; tap < columns.taps; ++tap, input += 3) {
      const float share = columns.shares[tap * columns.lanes + lane];
      row = plus_product(row, hw::Set(Floats(), *input), hw::Set(Floats(), share));
    }
    take_step(row, step, sums + lane, rounded + lane);
  }
}

#else

using Bytes = Windows;

// Selects pixel `kTap` of a window of RGB pixels into four 32-bit lanes.
template <int kTap>
HWY_INLINE Lanes pixel_of(hw::Vec<Bytes> windows) {
  constexpr std::uint8_t kFirst = 3 * kTap;
  alignas(16) static constexpr std::uint8_t kPlaces[16] = {
      kFirst,     0x80, 0x80, 0x80, kFirst + 1, 0x80, 0x80, 0x80,
      kFirst + 2, 0x80, 0x80, 0x80, 0x80,       0x80, 0x80, 0x80};
  const auto pixels = hw::TableLookupBytesOr0(windows, hw::LoadDup128(Bytes(), kPlaces));
  return hw::ConvertTo(Floats(), hw::BitCast(Ints(), pixels));
}

// Adds the first kTaps pixels of windows, whose shares are `stride` floats apart.
template <int kTaps>
HWY_INLINE Lanes plus_pixels(Lanes row, hw::Vec<Bytes> windows, const float* shares,
                             std::size_t stride) {
  if constexpr (kTaps > 0) {
    row = plus_pixels<kTaps - 1>(row, windows, shares, stride);
    row = plus_product(row, pixel_of<kTaps - 1>(windows),
                       hw::LoadU(Floats(), shares + (kTaps - 1) * stride));
  }
  return row;
}

// A window holds five RGB pixels. The last window of an output uses kLast of them.
template <int kLast>
HWY_INLINE void add_rgb_windows(const AreaColumns& columns, const std::uint8_t* in,
                                const AreaStep& step, float* sums, std::uint8_t* rounded) {
  const std::int32_t* starts = columns.starts.data();
  const std::size_t stride = columns.lanes;
  const std::size_t full_windows = (columns.taps - kLast) / 5;
  for (std::size_t lane = 0; lane < columns.lanes; lane += hw::Lanes(Floats())) {
    const float* shares = columns.shares.data() + lane;
    const std::uint8_t* window = in;
    auto row = hw::Zero(Floats());
    for (std::size_t n = 0; n < full_windows; ++n, window += 15, shares += 5 * stride)
      row = plus_pixels<5>(row, load_windows(Bytes(), window, starts + lane / 4), shares, stride);
    row = plus_pixels<kLast>(row, load_windows(Bytes(), window, starts + lane / 4), shares, stride);
    take_step(row, step, sums + lane, rounded + lane);
  }
}

void add_rgb_row(const AreaColumns& columns, const std::uint8_t* in, const AreaStep& step,
                 float* sums, std::uint8_t* rounded) {
  switch (columns.taps % 5) {
    case 0:
      return add_rgb_windows<5>(columns, in, step, sums, rounded);
    case 1:
      return add_rgb_windows<1>(columns, in, step, sums, rounded);
    case 2:
      return add_rgb_windows<2>(columns, in, step, sums, rounded);
    case 3:
      return add_rgb_windows<3>(columns, in, step, sums, rounded);
    default:
      return add_rgb_windows<4>(columns, in, step, sums, rounded);
  }
}

#endif

void copy_rgb(const std::uint8_t* in, std::size_t pixels, std::uint8_t* out) {
  drop_fourths(in, pixels, out);
}

}  // namespace hotpack::geometry::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hotpack::geometry {
namespace {

HWY_EXPORT(add_gray_row);
HWY_EXPORT(add_rgb_row);
HWY_EXPORT(copy_rgb);

constexpr std::size_t kMostLanes = 16;  // of a vector
constexpr double kNothing = 1e-3;       // OpenCV ignores a smaller part of an input

}  // namespace

int area_shares(const AreaAxis& axis, int output, std::vector<float>& shares) {
  const double scale = opencv_scale(axis.source, axis.target);
  const double begin = output * scale, end = begin + scale;
  const double covered = std::min(scale, axis.source - begin);
  const int last = std::min(static_cast<int>(std::floor(end)), axis.source - 1);
  const int first = std::min(static_cast<int>(std::ceil(begin)), last);
  const bool part_before = first - begin > kNothing;
  shares.clear();
  if (part_before) shares.push_back(static_cast<float>((first - begin) / covered));
  for (int i = first; i < last; ++i) shares.push_back(static_cast<float>(1.0 / covered));
  if (end - last > kNothing)
    shares.push_back(static_cast<float>(std::min(std::min(end - last, 1.0), covered) / covered));
  return part_before ? first - 1 : first;
}

void AreaShrinker::update_columns(const AreaAxis& axis, int channels) {
  if (columns_axis_ == axis && channels_ == channels) return;
  columns_axis_ = {};  // reset until all is made, because an allocation may fail
  channels_ = channels;
  pixels_ = static_cast<std::size_t>(axis.count);
  const std::size_t lanes_per_pixel = channels == 3 ? 4 : 1;
  columns_.lanes = (pixels_ * lanes_per_pixel + kMostLanes - 1) / kMostLanes * kMostLanes;
  columns_.starts.assign(columns_.lanes / lanes_per_pixel, 0);
  columns_.taps = 1;
  for (int i = 0; i < axis.count; ++i) {
    area_shares(axis, axis.first + i, shares_);
    columns_.taps = std::max(columns_.taps, shares_.size());
  }
  columns_.shares.assign(columns_.taps * columns_.lanes, 0.0f);
  for (std::size_t i = 0; i < pixels_; ++i) {
    columns_.starts[i] = area_shares(axis, axis.first + static_cast<int>(i), shares_) * channels;
    for (std::size_t tap = 0; tap < shares_.size(); ++tap)
      std::fill_n(&columns_.shares[tap * columns_.lanes + i * lanes_per_pixel], lanes_per_pixel,
                  shares_[tap]);
  }
  sums_.resize(columns_.lanes);
  rounded_.resize(columns_.lanes);
  fours_.resize(channels == 3 ? 0 : (columns_.taps + 3) / 4 * columns_.lanes);
  columns_axis_ = axis;
}

// `out` is written if the step ends an output row.
void AreaShrinker::add_row(const ConstPixels& source, int y, const AreaStep& step,
                           std::uint8_t* out) {
  const std::uint8_t* in = rows_.row(source, y);
  if (channels_ == 3) {
    HWY_DYNAMIC_DISPATCH(add_rgb_row)(columns_, in, step, sums_.data(), rounded_.data());
    if (step.ends) HWY_DYNAMIC_DISPATCH(copy_rgb)(rounded_.data(), pixels_, out);
  } else {
    collect_fours(columns_.starts, columns_.taps, in, fours_.data());
    HWY_DYNAMIC_DISPATCH(add_gray_row)
    (columns_, fours_.data(), step, sums_.data(), rounded_.data());
    if (step.ends) std::memcpy(out, rounded_.data(), pixels_);
  }
}

void AreaShrinker::resample(const ConstPixels& source, const Region& region,
                            const MutablePixels& out) {
  const int left = -region.x, top = -region.y;
  update_columns({source.width, region.width, left, out.width}, source.channels);
  const AreaAxis rows{source.height, region.height, top, out.height};
  // true if the last row of inputs of the previous output row has started the sums of this one
  bool started = false;
  int first = area_shares(rows, top, shares_);
  for (int y = 0; y < out.height; ++y) {
    const int last = first + static_cast<int>(shares_.size()) - 1;
    const bool more = y + 1 < out.height;
    const int next_first = more ? area_shares(rows, top + y + 1, next_shares_) : 0;
    for (int i = first + (started ? 1 : 0); i <= last; ++i) {
      AreaStep step{started || i > first, i == last, false,
                    shares_[static_cast<std::size_t>(i - first)], 0};
      if (i == last && more && next_first == last && next_shares_.size() > 1) {
        step.starts = true;
        step.next_share = next_shares_[0];
      }
      add_row(source, i, step, out.row(y));
      started = step.starts;
    }
    first = next_first;
    shares_.swap(next_shares_);
  }
}

}  // namespace hotpack::geometry
#endif
