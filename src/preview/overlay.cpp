#include "preview/overlay.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/fit.hpp"
#include "base/try.hpp"
#include "expand/class_ids.hpp"
#include "preview/canvas.hpp"
#include "preview/ink.hpp"
#include "preview/thumbnail.hpp"

namespace hotpack::preview {

namespace {

// The color of each pixel of a label, as RGB, and how much of the pixel it covers: 255 for a pixel
// with a color, 0 for one without, which is black. After shrinking, both are means.
struct Tints {
  Tints(Extent of) : size(of), colors(3 * pixels()), coverage(pixels()) {}
  [[nodiscard]] std::size_t pixels() const {
    return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  }
  MutablePixels color_image() {
    return {colors.data(), size.width, size.height, 3, 3 * static_cast<std::size_t>(size.width)};
  }
  MutablePixels coverage_image() {
    return {coverage.data(), size.width, size.height, 1, static_cast<std::size_t>(size.width)};
  }
  void put(std::size_t at, RgbColor color) {
    std::copy(color.begin(), color.end(), colors.begin() + static_cast<std::ptrdiff_t>(3 * at));
    coverage[at] = 255;
  }
  Extent size;
  std::vector<std::uint8_t> colors, coverage;
};

// Maps each of `length` positions along an axis to one of `other` positions along the same axis.
std::vector<int> places_along(int length, int other) {
  std::vector<int> places(static_cast<std::size_t>(length));
  for (int i = 0; i < length; ++i)
    places[static_cast<std::size_t>(i)] = static_cast<int>(std::int64_t{i} * other / length);
  return places;
}

// Returns the tints of a label in the label's size or, if that is larger, in the size `shown` in
// which the label will be drawn. `stripe` is the width of stripes in the size `shown`.
Tints full_tints(const LabelShape& shape, const LabelClasses& classes,
                 std::span<const RgbColor> colors, int stripe, Extent shown) {
  const Extent label{static_cast<int>(shape.width), static_cast<int>(shape.height)};
  Tints tints({std::max(label.width, shown.width), std::max(label.height, shown.height)});
  const std::vector<int> label_x = places_along(tints.size.width, label.width),
                         label_y = places_along(tints.size.height, label.height);
  const std::vector<int> shown_x = places_along(tints.size.width, shown.width),
                         shown_y = places_along(tints.size.height, shown.height);
  std::size_t at = 0;
  for (std::size_t y = 0; y < label_y.size(); ++y) {
    for (std::size_t x = 0; x < label_x.size(); ++x, ++at) {
      const auto pixel =
          static_cast<std::size_t>(label_y[y]) * static_cast<std::size_t>(label.width) +
          static_cast<std::size_t>(label_x[x]);
      const std::uint16_t id = classes.at(
          pixel, shape.multi ? static_cast<std::size_t>((shown_x[x] + shown_y[y]) / stripe) : 0);
      if (id != kIgnoredId) {
        tints.put(at, colors[id]);
      } else if (!shape.multi) {
        tints.put(at, on_stripe(shown_x[x], shown_y[y], stripe) ? kHatchDark : kHatchLight);
      }
    }
  }
  return tints;
}

Result<Tints> shown_tints(const LabelShape& shape, const LabelClasses& classes,
                          std::span<const RgbColor> colors, int stripe, Extent shown,
                          geometry::Resampler& resampler) {
  Tints full = full_tints(shape, classes, colors, stripe, shown), tints(shown);
  HOTPACK_TRY(shrink(full.color_image(), resampler, tints.color_image()));
  HOTPACK_TRY(shrink(full.coverage_image(), resampler, tints.coverage_image()));
  return tints;
}

// Computes the same gray as pack with --channels gray (ITU-R BT.601).
int gray_of(const std::uint8_t* pixel) {
  return (299 * pixel[0] + 587 * pixel[1] + 114 * pixel[2] + 500) / 1000;
}

// Turns the pixel gray and lays the tint over it.
void mix(const std::uint8_t* tint, int coverage, std::uint8_t* pixel) {
  const int gray = gray_of(pixel);
  for (std::size_t c = 0; c < 3; ++c)
    pixel[c] = static_cast<std::uint8_t>(
        (gray * (256 * 255 - kTintOpacity * coverage) + 255 * kTintOpacity * tint[c] + 128 * 255) /
        (256 * 255));
}

// Sets an RGBA pixel to the tint alone, with the coverage as its alpha.
void put_alone(const std::uint8_t* tint, int coverage, std::uint8_t* pixel) {
  for (std::size_t c = 0; c < 3; ++c)
    pixel[c] = static_cast<std::uint8_t>(
        coverage == 0 ? 0 : std::min(255, (255 * tint[c] + coverage / 2) / coverage));
  pixel[3] = static_cast<std::uint8_t>(coverage);
}

// Calls `paint(tint, coverage, pixel)` for each pixel of the image.
template <class Paint>
void for_each_tint(const Tints& tints, MutablePixels image, Paint paint) {
  std::size_t at = 0;
  for (int y = 0; y < image.height; ++y) {
    std::uint8_t* pixel = image.row(y);
    for (int x = 0; x < image.width; ++x, ++at, pixel += image.channels)
      paint(tints.colors.data() + 3 * at, tints.coverage[at], pixel);
  }
}

}  // namespace

Status paint_classes(const LabelShape& shape, const LabelClasses& classes,
                     std::span<const RgbColor> colors, int stripe, geometry::Resampler& resampler,
                     MutablePixels thumbnail) {
  HOTPACK_ASSIGN(const Tints tints, shown_tints(shape, classes, colors, stripe,
                                                {thumbnail.width, thumbnail.height}, resampler));
  for_each_tint(tints, thumbnail, mix);
  return {};
}

Status paint_label(const LabelShape& shape, const LabelClasses& classes,
                   std::span<const RgbColor> colors, int stripe, geometry::Resampler& resampler,
                   MutablePixels image) {
  HOTPACK_ASSIGN(const Tints tints, shown_tints(shape, classes, colors, stripe,
                                                {image.width, image.height}, resampler));
  for_each_tint(tints, image, put_alone);
  return {};
}

}  // namespace hotpack::preview
