// Makes images small enough for a sheet: each pixel of the result is the mean of the area that it
// covers. Images that are small already are enlarged by a whole factor, so that their pixels can be
// seen.
//
// Pure functions over the caller's memory; thread-safe, with one resampler per thread. Failure: the
// errors of geometry::Resampler.
#pragma once

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "geometry/resample.hpp"
#include "hotpack/shard.hpp"

namespace hotpack::preview {

// Returns the size in which an image of size `size` is drawn in a box. If the image is larger than
// the box, this is the largest size with the same aspect ratio that fits. Otherwise it is the
// image's size times the largest whole factor that fits.
[[nodiscard]] Extent thumbnail_extent(Extent size, Extent box);

// Fills `thumbnail` with the image in the thumbnail's size. Both have the same number of channels.
// Precondition: along both axes the image is at least as large as the thumbnail, or it is smaller
// by a whole factor.
[[nodiscard]] Status shrink(ConstPixels image, geometry::Resampler& resampler,
                            MutablePixels thumbnail);

// Fills `thumbnail` (RGB) from an image of either axis order; gray becomes three equal channels.
[[nodiscard]] Status shrink_image(const ImageView& image, geometry::Resampler& resampler,
                                  MutablePixels thumbnail);

}  // namespace hotpack::preview
