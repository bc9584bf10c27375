#include "label_setup/orientation.hpp"

#include "base/words.hpp"

namespace hotpack::pipeline {

Extent oriented_size(const codecs::ImageInfo& info, bool applied) {
  if (applied && info.swaps_axes()) return {info.height, info.width};
  return {info.width, info.height};
}

std::optional<bool> applies_orientation(ExifPolicy policy, const codecs::ImageInfo& image,
                                        const std::optional<Extent>& label_size) {
  if (image.orientation == 1 || policy == ExifPolicy::ignore) return false;
  if (policy == ExifPolicy::apply || !label_size) return true;
  const bool fits_stored = *label_size == oriented_size(image, false);
  const bool fits_rotated = *label_size == oriented_size(image, true);
  if (fits_stored == fits_rotated) return std::nullopt;
  return fits_rotated;
}

}  // namespace hotpack::pipeline
