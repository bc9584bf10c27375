// Decides whether the EXIF orientation of an image is applied, if a label may have been drawn
// before or after it.
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

// Absent if the policy is automatic and the label fits the image in both ways or in neither.
// Automatic: no label → apply; a label of the stored size only → it was drawn on stored pixels, do
// not; of the rotated size only → apply.
[[nodiscard]] std::optional<bool> applies_orientation(ExifPolicy policy,
                                                      const codecs::ImageInfo& image,
                                                      const std::optional<Extent>& label_size);

}  // namespace hotpack::pipeline
