#include "preview/class_colors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "preview/ink.hpp"

namespace hotpack::preview {

namespace {

constexpr double kAlike = 0.025;     // colors nearer than this are hard to tell, the more so over an image
constexpr std::uint8_t kGray = 128;  // of the image below a tint
// What generated colors keep away from: no tint, and those that look like dark and light images.
constexpr RgbColor kTaken[] = {{0, 0, 0}, {255, 255, 255}, {kGray, kGray, kGray}};

struct Oklab {
  double lightness = 0, a = 0, b = 0;
};

// The root by Newton's method, for values in [0, 1]. The functions of <cmath> may differ in their last bit from system to system.
double root(double value, int degree) {
  if (value <= 0) return 0;
  double guess = 1;
  for (int step = 0; step < 64; ++step) {
    double power = 1;
    for (int i = 1; i < degree; ++i) power *= guess;
    guess = ((degree - 1) * guess + value / power) / degree;
  }
  return guess;
}

// sRGB (IEC 61966-2-1) to linear light: x^2.4 = x² · (x²)^(1/5).
double linear(std::uint8_t sample) {
  const double value = sample / 255.0;
  if (value <= 0.04045) return value / 12.92;
  const double base = (value + 0.055) / 1.055;
  return base * base * root(base * base, 5);
}

Oklab to_oklab(RgbColor color) {
  static const auto kLinear = [] {
    std::array<double, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = linear(static_cast<std::uint8_t>(i));
    return table;
  }();
  const double red = kLinear[color[0]], green = kLinear[color[1]], blue = kLinear[color[2]];
  const double l = root(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue, 3);
  const double m = root(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue, 3);
  const double s = root(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue, 3);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s, 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

// The color over a gray image: near black, where Oklab tells every step apart, colors look alike.
Oklab tint_of(RgbColor color) {
  for (std::uint8_t& sample : color) sample = static_cast<std::uint8_t>((kTintOpacity * sample + (256 - kTintOpacity) * kGray + 128) / 256);
  return to_oklab(color);
}

double squared_distance(const Oklab& one, const Oklab& other) {
  const double lightness = one.lightness - other.lightness, a = one.a - other.a, b = one.b - other.b;
  return lightness * lightness + a * a + b * b;
}

// Neither pale nor dark, gray nor glaring.
bool pleasant(const Oklab& lab) {
  const double squared_chroma = lab.a * lab.a + lab.b * lab.b;
  return lab.lightness > 0.4 && lab.lightness < 0.93 && squared_chroma > 0.07 * 0.07 && squared_chroma < 0.25 * 0.25;
}

// A sequence of colors, each the farthest from all before it and from those that were taken.
class Sequence {
 public:
  Sequence() {
    constexpr std::array<std::uint8_t, 10> kLevels{0, 28, 57, 85, 113, 142, 170, 198, 227, 255};
    for (const std::uint8_t red : kLevels)
      for (const std::uint8_t green : kLevels)
        for (const std::uint8_t blue : kLevels) add({red, green, blue});
    for (const RgbColor color : kTaken) keep_away(tint_of(color));
  }

  void keep_away(const Oklab& taken) {
    for (Candidate& each : candidates_) each.nearest = std::min(each.nearest, squared_distance(each.tint, taken));
  }

  // Begins again once every color was given.
  RgbColor next() {
    const auto farthest = std::max_element(candidates_.begin(), candidates_.end(),
                                           [](const Candidate& a, const Candidate& b) { return a.nearest < b.nearest; });
    if (farthest->nearest > 0) {
      given_.push_back(farthest->color);
      keep_away(farthest->tint);
      return farthest->color;
    }
    return given_[again_++ % given_.size()];
  }

 private:
  struct Candidate {
    RgbColor color{};
    Oklab tint;
    double nearest = std::numeric_limits<double>::max();  // squared distance to what is taken
  };

  void add(RgbColor color) {
    if (pleasant(to_oklab(color))) candidates_.push_back({color, tint_of(color)});
  }

  std::vector<Candidate> candidates_;
  std::vector<RgbColor> given_;
  std::size_t again_ = 0;
};

bool looks_like_one_of(const Oklab& tint, const std::vector<Oklab>& others) {
  return std::any_of(others.begin(), others.end(), [&](const Oklab& other) { return squared_distance(tint, other) < kAlike * kAlike; });
}

}  // namespace

double color_distance(RgbColor a, RgbColor b) { return std::sqrt(squared_distance(tint_of(a), tint_of(b))); }

ClassColors class_colors(std::span<const ClassInfo> classes) {
  ClassColors result{std::vector<RgbColor>(classes.size()), 0};
  std::vector<Oklab> own;
  std::vector<std::size_t> without;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const std::optional<RgbColor>& color = classes[c].color;
    if (color) result.colors[c] = *color;
    const bool alike = color && c < kMostCompared && looks_like_one_of(tint_of(*color), own);
    result.replaced += alike;
    if (!color || alike) without.push_back(c);
    if (color && !alike && c < kMostCompared) own.push_back(tint_of(*color));
  }
  if (without.empty()) return result;
  Sequence sequence;
  for (const Oklab& tint : own) sequence.keep_away(tint);
  for (const std::size_t c : without) result.colors[c] = sequence.next();
  return result;
}

}  // namespace hotpack::preview
