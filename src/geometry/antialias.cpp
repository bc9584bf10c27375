#include "geometry/antialias.hpp"

#include "base/words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace hotpack::geometry {
namespace {

constexpr double kPi = 3.14159265358979323846;
// The number of bits after the binary point in weights and sums. The other bits of an int are 8
// bits of a sample, and 2 bits of headroom for kernels that overshoot. The absolute weights of a
// window sum to less than 1.6 (lanczos at the edge of an image), so a sum always fits an int.
constexpr int kFractionBits = 32 - 8 - 2;
constexpr std::int32_t kHalf = 1 << (kFractionBits - 1);

// The kernels, in doubles. The promised result depends on the order of their operations.
double triangle(double x) { return std::max(0.0, 1.0 - std::abs(x)); }

double cubic(double x) {
  constexpr double kSharpness = -0.5;
  x = std::abs(x);
  if (x < 1.0) return ((kSharpness + 2.0) * x - (kSharpness + 3.0)) * x * x + 1.0;
  if (x < 2.0) return (((x - 5.0) * x + 8.0) * x - 4.0) * kSharpness;
  return 0.0;
}

double sinc(double x) { return x == 0.0 ? 1.0 : std::sin(x * kPi) / (x * kPi); }
double lanczos(double x) { return x >= -3.0 && x < 3.0 ? sinc(x) * sinc(x / 3.0) : 0.0; }

struct Kernel {
  double (*at)(double x);
  double support;  // the kernel is zero beyond this distance
};

Kernel kernel_of(ImageFilter filter) {
  if (filter == ImageFilter::cubic) return {cubic, 2.0};
  if (filter == ImageFilter::lanczos) return {lanczos, 3.0};
  return {triangle, 1.0};
}

// The kernel in units of inputs. An output covers `step` inputs, and the kernel is `stretch` times
// wider than its definition.
struct Spread {
  double step, stretch, support;
};

Spread spread_of(const AxisRange& range) {
  const double step = static_cast<double>(range.source) / range.target;
  const double stretch = std::max(step, 1.0);
  return {step, stretch, kernel_of(range.filter).support * stretch};
}

// Rounds half away from zero.
std::int32_t fixed_point(double weight) {
  const double scaled = weight * (1 << kFractionBits);
  return static_cast<std::int32_t>(weight < 0.0 ? scaled - 0.5 : scaled + 0.5);
}

std::uint8_t rounded(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kFractionBits, 0, 255));
}

std::size_t samples(int pixels, int channels) {
  return static_cast<std::size_t>(pixels) * static_cast<std::size_t>(channels);
}

// Resamples the columns of one row. Each sum starts with one half, so that the final shift rounds.
template <std::size_t kChannels>
void resample_row(const std::uint8_t* in, const AxisWeights& columns, std::uint8_t* out,
                  int width) {
  for (int x = 0; x < width; ++x, out += kChannels) {
    const AxisWeights::Window window = columns.window(x);
    const std::uint8_t* pixel = in + static_cast<std::size_t>(window.first) * kChannels;
    std::array<std::int32_t, kChannels> sums;
    sums.fill(kHalf);
    for (int k = 0; k < window.count; ++k, pixel += kChannels) {
      for (std::size_t c = 0; c < kChannels; ++c) sums[c] += pixel[c] * window.weights[k];
    }
    for (std::size_t c = 0; c < kChannels; ++c) out[c] = rounded(sums[c]);
  }
}

void resample_row(const std::uint8_t* in, const AxisWeights& columns, std::uint8_t* out, int width,
                  int channels) {
  channels == 3 ? resample_row<3>(in, columns, out, width)
                : resample_row<1>(in, columns, out, width);
}

// The number of samples to sum at once. So few that the sums stay in the first-level cache, and the
// compiler vectorizes the loops.
constexpr std::size_t kRun = 512;

void add_weighted(const std::uint8_t* in, std::int32_t weight, std::int32_t* sums,
                  std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sums[i] += in[i] * weight;
}

// Computes one output row from the rows of its window.
void sum_rows(const std::uint8_t* const* rows, const AxisWeights::Window& window, std::uint8_t* out,
              std::size_t count) {
  std::array<std::int32_t, kRun> sums;
  for (std::size_t at = 0; at < count; at += kRun) {
    const std::size_t run = std::min(kRun, count - at);
    std::fill_n(sums.data(), run, kHalf);
    for (int k = 0; k < window.count; ++k)
      add_weighted(rows[k] + at, window.weights[k], sums.data(), run);
    for (std::size_t i = 0; i < run; ++i) out[at + i] = rounded(sums[i]);
  }
}

}  // namespace

void AxisWeights::update(const AxisRange& wanted) {
  if (range_ == wanted) return;
  range_ = {};  // stays reset if an allocation below fails
  longest_ =
      std::min(wanted.source, static_cast<int>(std::ceil(spread_of(wanted).support)) * 2 + 1);
  places_.resize(static_cast<std::size_t>(wanted.count));
  weights_.resize(static_cast<std::size_t>(wanted.count) * static_cast<std::size_t>(longest_));
  exact_.resize(static_cast<std::size_t>(longest_));
  range_ = wanted;
  for (int i = 0; i < wanted.count; ++i) fill(i);
}

// Computes the weights of output i: the kernel at the centers of the inputs, divided by its sum, in
// fixed point.
void AxisWeights::fill(int i) {
  const Kernel kernel = kernel_of(range_.filter);
  const Spread spread = spread_of(range_);
  const double center = (range_.first + i + 0.5) * spread.step;
  const double shrink = 1.0 / spread.stretch;
  const double from = center - spread.support + 0.5,
               to = center + spread.support + 0.5;  // the conversion to int rounds
  const int first = std::max(0, static_cast<int>(from));
  const int end = std::min(range_.source, static_cast<int>(to));
  const std::size_t count = static_cast<std::size_t>(end - first);
  double sum = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    exact_[k] = kernel.at((static_cast<double>(k) + first - center + 0.5) * shrink);
    sum += exact_[k];
  }
  std::int32_t* weights =
      weights_.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(longest_);
  for (std::size_t k = 0; k < count; ++k) weights[k] = fixed_point(exact_[k] / sum);
  places_[static_cast<std::size_t>(i)] = {first, end - first};
}

AxisWeights::Window AxisWeights::window(int i) const {
  const Place place = places_[static_cast<std::size_t>(i)];
  return {place.first, place.count,
          weights_.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(longest_)};
}

void Antialiaser::resample(const ConstPixels& source, const Region& region, ImageFilter filter,
                           const MutablePixels& out) {
  const int left = -region.x, top = -region.y;
  const bool rows_change = source.width != region.width,
             columns_change = source.height != region.height;
  if (rows_change) columns_.update({filter, source.width, region.width, left, out.width});
  if (columns_change) rows_.update({filter, source.height, region.height, top, out.height});
  if (!columns_change) return resample_rows_only(source, top, out);
  rows_change ? resample_both(source, out) : resample_columns(source, out, left);
}

void Antialiaser::resample_rows_only(const ConstPixels& source, int top,
                                     const MutablePixels& out) const {
  for (int y = 0; y < out.height; ++y)
    resample_row(source.row(top + y), columns_, out.row(y), out.width, out.channels);
}

void Antialiaser::resample_columns(const ConstPixels& source, const MutablePixels& out, int left) {
  sum_all_rows([&](int y) { return source.row(y) + samples(left, source.channels); }, out);
}

void Antialiaser::resample_both(const ConstPixels& source, const MutablePixels& out) {
  ring_.reserve(samples(out.width, out.channels) * static_cast<std::size_t>(rows_.longest()));
  ring_end_ = rows_.window(0).first;
  sum_all_rows([&](int y) { return first_pass_row(source, y, out); }, out);
}

// Returns row y of the first pass. Computes the rows up to it that are missing. Rows are requested
// in order, and a window never needs more rows than the ring holds.
const std::uint8_t* Antialiaser::first_pass_row(const ConstPixels& source, int y,
                                                const MutablePixels& out) {
  const auto slot = [&](int row) {
    return reinterpret_cast<std::uint8_t*>(ring_.data()) +
           static_cast<std::size_t>(row % rows_.longest()) * samples(out.width, out.channels);
  };
  for (; ring_end_ <= y; ++ring_end_)
    resample_row(source.row(ring_end_), columns_, slot(ring_end_), out.width, out.channels);
  return slot(y);
}

template <class RowAt>
void Antialiaser::sum_all_rows(const RowAt& row_at, const MutablePixels& out) {
  window_rows_.resize(static_cast<std::size_t>(rows_.longest()));
  for (int y = 0; y < out.height; ++y) {
    const AxisWeights::Window window = rows_.window(y);
    for (int k = 0; k < window.count; ++k)
      window_rows_[static_cast<std::size_t>(k)] = row_at(window.first + k);
    sum_rows(window_rows_.data(), window, out.row(y), samples(out.width, out.channels));
  }
}

}  // namespace hotpack::geometry
