#include "preview/overlay.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/fit.hpp"
#include "expand/class_ids.hpp"
#include "preview/canvas.hpp"
#include "preview/ink.hpp"
#include "preview/thumbnail.hpp"

namespace hotpack::preview {

namespace {

constexpr std::uint64_t kOpacity = kTintOpacity;

// The tints that a pixel of the thumbnail covers, each as often as it weighs.
struct Tint {
  std::array<std::uint64_t, 3> sums{};
  std::uint64_t weight = 0;
  void add(RgbColor color, std::uint64_t times) {
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += times * color[c];
    weight += times;
  }
};

// ITU-R BT.601, as `gray` of pack.
std::uint8_t gray_of(const std::uint8_t* pixel) {
  return static_cast<std::uint8_t>((299 * pixel[0] + 587 * pixel[1] + 114 * pixel[2] + 500) / 1000);
}

// The tint over gray; what no tint covers stays gray.
void mix(const Tint& tint, std::uint64_t total, std::uint8_t* pixel) {
  const std::uint64_t gray = gray_of(pixel);
  for (std::size_t c = 0; c < 3; ++c) {
    const std::uint64_t sum = gray * (256 * total - kOpacity * tint.weight) + kOpacity * tint.sums[c];
    pixel[c] = static_cast<std::uint8_t>((sum + 128 * total) / (256 * total));
  }
}

// The tint alone.
void put_alone(const Tint& tint, std::uint64_t total, std::uint8_t* pixel) {
  const std::uint64_t weight = std::max<std::uint64_t>(tint.weight, 1);
  for (std::size_t c = 0; c < 3; ++c) pixel[c] = static_cast<std::uint8_t>((tint.sums[c] + weight / 2) / weight);
  pixel[3] = static_cast<std::uint8_t>((255 * tint.weight + total / 2) / total);
}

// Calls `paint(tint, weight of the whole pixel, pixel)` for each pixel of the image.
template <class Paint>
void for_each_tint(const LabelShape& shape, const LabelClasses& classes, std::span<const RgbColor> colors, int stripe, MutablePixels image,
                   Paint paint) {
  const CoveredAxis columns(static_cast<int>(shape.width), image.width), rows(static_cast<int>(shape.height), image.height);
  const auto width = static_cast<std::size_t>(shape.width);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const auto turn = static_cast<std::size_t>((x + y) / stripe);
      const RgbColor hatch = on_stripe(x, y, stripe) ? kHatchDark : kHatchLight;
      Tint tint;
      for (const CoveredAxis::Part& row : rows.of(y)) {
        for (const CoveredAxis::Part& column : columns.of(x)) {
          const std::uint16_t id = classes.at(static_cast<std::size_t>(row.index) * width + static_cast<std::size_t>(column.index), turn);
          const bool none = id == kIgnoredId;
          if (!none || !shape.multi) tint.add(none ? hatch : colors[id], row.weight * column.weight);
        }
      }
      paint(tint, columns.total() * rows.total(), image.row(y) + static_cast<std::size_t>(image.channels * x));
    }
  }
}

}  // namespace

void paint_classes(const LabelShape& shape, const LabelClasses& classes, std::span<const RgbColor> colors, int stripe,
                   MutablePixels thumbnail) {
  for_each_tint(shape, classes, colors, stripe, thumbnail, mix);
}

void paint_label(const LabelShape& shape, const LabelClasses& classes, std::span<const RgbColor> colors, int stripe, MutablePixels image) {
  for_each_tint(shape, classes, colors, stripe, image, put_alone);
}

}  // namespace hotpack::preview
