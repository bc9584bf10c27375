// Draws a label over an image: each class as a tint of its color, ignored pixels as a hatching, and
// several classes of one pixel as stripes.
//
// Pure functions; thread-safe, with one resampler per thread. Preconditions: the label has a class
// per pixel, and `classes` has read it. Failure: the errors of geometry::Resampler.
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

// Paints the label over `thumbnail`, the label's image in RGB, made small. The image turns gray, so
// that only classes have hues. Each tint is a mean over the area that the pixel covers. `colors`
// are by class id; `stripe` is the width of stripes. Pixels without a class are hatched or, if a
// pixel may have several classes, stay gray, because having no class is then normal.
[[nodiscard]] Status paint_classes(const LabelShape& shape, const LabelClasses& classes,
                                   std::span<const RgbColor> colors, int stripe,
                                   geometry::Resampler& resampler, MutablePixels thumbnail);

// Paints only the tints into `image` (RGBA), for a page that lays them over the sample's image
// itself. `image` is opaque at pixels with a class or a hatching, and transparent elsewhere.
[[nodiscard]] Status paint_label(const LabelShape& shape, const LabelClasses& classes,
                                 std::span<const RgbColor> colors, int stripe,
                                 geometry::Resampler& resampler, MutablePixels image);

}  // namespace hotpack::preview
