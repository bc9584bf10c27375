#include "geometry/antialias_weights.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace hotpack::geometry {
namespace {

constexpr double kPi = 3.14159265358979323846;

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

struct Curve {
  double (*at)(double x);
  double support;  // the kernel is zero beyond this distance
};

Curve curve_of(Kernel kernel) {
  if (kernel == Kernel::cubic) return {cubic, 2.0};
  if (kernel == Kernel::lanczos) return {lanczos, 3.0};
  return {triangle, 1.0};
}

// The size of the kernel on an axis, in source pixels. Neighboring outputs are `step` source pixels
// apart. The kernel is `stretch` times wider than its definition; it reaches `support` pixels to
// each side.
struct Spread {
  double step, stretch, support;
};

Spread spread_of(const AxisRange& range) {
  const double step = static_cast<double>(range.source) / range.target;
  const double stretch = std::max(step, 1.0);
  return {step, stretch, curve_of(range.kernel).support * stretch};
}

// Rounds half away from zero.
std::int32_t fixed_point(double weight) {
  const double scaled = weight * (1 << kWeightBits);
  return static_cast<std::int32_t>(weight < 0.0 ? scaled - 0.5 : scaled + 0.5);
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

// Computes the weights of output i: the values of the kernel at the centers of the source pixels,
// divided by their sum, in fixed point.
void AxisWeights::fill(int i) {
  const Curve curve = curve_of(range_.kernel);
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
    exact_[k] = curve.at((static_cast<double>(k) + first - center + 0.5) * shrink);
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

}  // namespace hotpack::geometry
