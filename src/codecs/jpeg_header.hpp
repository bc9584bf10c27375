// Reads the marker segments of a JPEG file before its first scan.
//
// Pure; thread-safe. Errors have code `data`.
#pragma once

#include <cstddef>
#include <span>

#include "codecs/image_info.hpp"
#include "hotpack/result.hpp"

namespace hotpack::codecs {

// Does what probe() does, for bytes that begin with FF D8; `complete` means that they are the whole
// file. Needs all segments up to the first scan, however long, because the segment that defines the
// color transform may come last. Uses the first EXIF segment. Further images in the file are
// recognized by segments that mention them: MPF (MPO, and most gain maps), ISO 21496-1, or XMP with
// the gain map's name space.
[[nodiscard]] Result<Probe> probe_jpeg(std::span<const std::byte> bytes, bool complete);

}  // namespace hotpack::codecs
