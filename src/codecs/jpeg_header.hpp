// The marker segments of a JPEG file before its first scan.
//
// Pure; thread-safe. Errors have code `data`.
#pragma once

#include <cstddef>
#include <span>

#include "codecs/image_info.hpp"
#include "hotpack/result.hpp"

namespace hotpack::codecs {

// As probe(), for bytes that begin with FF D8. Application segments of any length may come first; all segments up to the first scan
// are needed, for the color transform may be told last. EXIF is taken from the first EXIF segment. More images are known by the segments
// that speak of them: MPF (MPO, and most gain maps), ISO 21496-1, or XMP with the gain map's name space.
[[nodiscard]] Result<Probe> probe_jpeg(std::span<const std::byte> bytes, bool complete);

}  // namespace hotpack::codecs
