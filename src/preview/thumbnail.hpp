// Makes images small enough for a sheet: each pixel becomes the mean of the area that it covers.
// Small images are enlarged by a whole factor, so that their pixels can be seen.
//
// Pure functions over the caller's memory; thread-safe, with one resampler per thread. Failure: the
// errors of geometry::Resampler.
#pragma once

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "geometry/resample.hpp"
#include "hotpack/shard.hpp"

namespace hotpack::preview {

// Returns the size at which an image is shown in a box. An image larger than the box shrinks to the
// largest size that fits and keeps its aspect. Any other image is enlarged by the largest whole
// factor that fits.
[[nodiscard]] Extent thumbnail_extent(Extent size, Extent box);

// Fills `thumbnail`, which has as many channels as `image`. Precondition: the image is at least as
// large as the thumbnail along both axes, or smaller by a whole factor.
[[nodiscard]] Status shrink(ConstPixels image, geometry::Resampler& resampler,
                            MutablePixels thumbnail);

// Fills `thumbnail` (RGB) from an image of either axis order; gray becomes three equal channels.
[[nodiscard]] Status shrink_image(const ImageView& image, geometry::Resampler& resampler,
                                  MutablePixels thumbnail);

}  // namespace hotpack::preview
