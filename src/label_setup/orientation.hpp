// Decides whether the EXIF orientation of an image is applied. Its label may have been drawn on the
// stored image or on the rotated one.
//
// Pure; thread-safe.
#pragma once

#include <optional>

#include "base/fit.hpp"
#include "base/words.hpp"
#include "codecs/image_info.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// The size of the image after rotation, if the orientation is applied.
[[nodiscard]] Extent oriented_size(const codecs::ImageInfo& info, bool applied);

// Returns whether the orientation is applied. The automatic policy compares the sizes of image and
// label:
// - no label, or a label that has the size of the rotated image only: it is applied
// - a label that has the size of the stored image only, so was drawn on stored pixels: it is not
// - a label that has both sizes or neither: it cannot be decided, and nothing is returned
[[nodiscard]] std::optional<bool> applies_orientation(ExifPolicy policy,
                                                      const codecs::ImageInfo& image,
                                                      const std::optional<Extent>& label_size);

}  // namespace hotpack::pipeline
