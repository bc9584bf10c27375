// Whether an image's EXIF orientation is applied when a label may have been drawn before or after it.
//
// Pure; thread-safe.
#pragma once

#include <optional>

#include "base/fit.hpp"
#include "base/words.hpp"
#include "codecs/picture_info.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// The size of the picture as a person sees it.
[[nodiscard]] Extent oriented_size(const codecs::PictureInfo& info, bool applied);

// Absent when the policy is automatic and nothing tells: the label fits the picture both ways, or neither.
// Automatic: no label → apply; a label of the stored size only → it was drawn on stored pixels, do not; of the rotated size only → apply.
[[nodiscard]] std::optional<bool> applies_orientation(ExifPolicy policy, const codecs::PictureInfo& image,
                                                      const std::optional<Extent>& label_size);

}  // namespace hotpack::pipeline
