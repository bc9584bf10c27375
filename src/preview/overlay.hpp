// A label over an image: every class a tint of its color, ignored pixels hatched, several classes
// in one pixel as stripes.
//
// Pure functions; thread-safe, with one resampler per thread. Preconditions: the label is of kind
// `pixel`, and `classes` has read it. Failure: that of geometry::Resampler.
#pragma once

#include <span>

#include "base/pixels.hpp"
#include "geometry/resample.hpp"
#include "hotpack/schema.hpp"
#include "hotpack/shard.hpp"
#include "preview/label_classes.hpp"

namespace hotpack::preview {

// The two colors of the hatching that stands for "ignored".
inline constexpr RgbColor kHatchDark{40, 40, 40};
inline constexpr RgbColor kHatchLight{215, 215, 215};

// Paints over `thumbnail` (RGB; the image that the label belongs to, made small). The image turns
// gray, so that a hue always is a class's. Tints are means over the area that a pixel covers.
// `colors` by class id; `stripe` is the width of stripes. Pixels without a class are hatched; where
// labels may hold several classes, none is as good a value as any, and they stay gray.
[[nodiscard]] Status paint_classes(const LabelShape& shape, const LabelClasses& classes,
                                   std::span<const RgbColor> colors, int stripe,
                                   geometry::Resampler& resampler, MutablePixels thumbnail);

// The same tints alone, for a page that lays them over the image itself: `image` (RGBA) is opaque
// where there is a class or a hatching.
[[nodiscard]] Status paint_label(const LabelShape& shape, const LabelClasses& classes,
                                 std::span<const RgbColor> colors, int stripe,
                                 geometry::Resampler& resampler, MutablePixels image);

}  // namespace hotpack::preview
