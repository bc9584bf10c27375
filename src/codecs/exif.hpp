// The one EXIF tag that changes how a photo is seen: Orientation.
//
// Pure; thread-safe. Reads hostile bytes: every offset is checked, and whatever is not a valid orientation counts as 1.
#pragma once

#include <cstddef>
#include <span>

namespace hotpack::codecs {

// `segment` is the payload of a JPEG APP1 segment. True when it holds EXIF data.
[[nodiscard]] bool is_exif_segment(std::span<const std::byte> segment);

// The orientation, 1…8, of the first image directory of the TIFF structure that EXIF is, as a PNG's eXIf chunk holds it; 1 when it is
// absent, invalid or cut off.
[[nodiscard]] int tiff_orientation(std::span<const std::byte> tiff);

// The same of a JPEG segment, where "Exif\0\0" comes first.
[[nodiscard]] int exif_orientation(std::span<const std::byte> segment);

}  // namespace hotpack::codecs
