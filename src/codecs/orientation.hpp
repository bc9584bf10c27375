// Turns and mirrors an image according to its EXIF orientation.
//
// Pure; thread-safe for different buffers.
#pragma once

#include "base/pixels.hpp"

namespace hotpack::codecs {

// Turns or mirrors `stored` according to the EXIF orientation (1…8). Writes the result to `buffer`
// and returns a view of it. Orientations 5…8 swap width and height. Precondition: 1 or 3 channels.
// Throws std::bad_alloc.
[[nodiscard]] ConstPixels orient(ConstPixels stored, int orientation, Buffer& buffer);

}  // namespace hotpack::codecs
