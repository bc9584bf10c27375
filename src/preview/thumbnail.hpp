// Images made small enough for a sheet: every pixel is the mean of the area that it covers. Small
// images are enlarged by whole factors, so that their pixels show.
//
// Pure functions over the caller's memory; thread-safe, with one resampler per thread. Failure:
// that of geometry::Resampler.
#pragma once

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "geometry/resample.hpp"
#include "hotpack/shard.hpp"

namespace hotpack::preview {

// The size at which an image is shown in a box: the largest that fits and keeps the aspect, or the
// largest whole multiple.
[[nodiscard]] Extent thumbnail_extent(Extent size, Extent box);

// Fills `thumbnail` (as many channels) from an image that is larger along both axes, or smaller by
// a whole factor.
[[nodiscard]] Status shrink(ConstPixels image, geometry::Resampler& resampler,
                            MutablePixels thumbnail);

// Fills `thumbnail` (RGB) from an image of either layout; gray becomes three equal channels.
[[nodiscard]] Status shrink_image(const ImageView& image, geometry::Resampler& resampler,
                                  MutablePixels thumbnail);

}  // namespace hotpack::preview
