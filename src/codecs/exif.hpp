// Reads a single EXIF tag, Orientation, which says how a photo must be turned or mirrored.
//
// Pure; thread-safe. The bytes may come from an attacker: every offset is checked, and an invalid
// orientation counts as 1.
#pragma once

#include <cstddef>
#include <span>

namespace hotpack::codecs {

// True if `segment`, the payload of a JPEG APP1 segment, contains EXIF data.
[[nodiscard]] bool is_exif_segment(std::span<const std::byte> segment);

// Returns the orientation, 1…8, from the first image directory of a TIFF structure, such as the
// content of a PNG's eXIf chunk. Returns 1 if the tag is absent, invalid or cut off.
[[nodiscard]] int tiff_orientation(std::span<const std::byte> tiff);

// The same for a JPEG's APP1 segment, which begins with "Exif\0\0".
[[nodiscard]] int exif_orientation(std::span<const std::byte> segment);

}  // namespace hotpack::codecs
