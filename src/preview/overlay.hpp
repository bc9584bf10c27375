// Draws a label over an image: classes as tints of their colors, ignored pixels as hatching, and
// several classes of one pixel as stripes.
//
// Pure functions; thread-safe, with one resampler per thread. Preconditions: the label has classes
// per pixel, and classes.read() was called with it. Failure: the errors of geometry::Resampler.
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

// Paints the label over `thumbnail`, the shrunk image of the sample in RGB. The image turns gray,
// so that all hues are those of classes. A pixel of the thumbnail gets the mean tint of the label
// pixels that it covers. `colors` are by class id; `stripe` is the width of stripes in pixels.
// Pixels without a class are hatched. But if pixels may have several classes, pixels without a
// class stay gray, because having none is then normal.
[[nodiscard]] Status paint_classes(const LabelShape& shape, const LabelClasses& classes,
                                   std::span<const RgbColor> colors, int stripe,
                                   geometry::Resampler& resampler, MutablePixels thumbnail);

// Paints only the tints into `image` (RGBA), for a page that draws them over the sample's image
// itself. `image` becomes opaque where there is a class or a hatching, and transparent elsewhere.
// `colors` and `stripe` as for paint_classes().
[[nodiscard]] Status paint_label(const LabelShape& shape, const LabelClasses& classes,
                                 std::span<const RgbColor> colors, int stripe,
                                 geometry::Resampler& resampler, MutablePixels image);

}  // namespace hotpack::preview
