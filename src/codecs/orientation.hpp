// Turns and mirrors an image as its EXIF orientation says.
//
// Pure; thread-safe for different buffers.
#pragma once

#include "base/pixels.hpp"

namespace hotpack::codecs {

// Writes `stored` as seen under `orientation` (1…8) to `buffer` and returns a view of it; orientations 5…8 swap width and height.
// The image must have 1 or 3 channels. Throws std::bad_alloc.
[[nodiscard]] ConstPixels orient(ConstPixels stored, int orientation, Buffer& buffer);

}  // namespace hotpack::codecs
