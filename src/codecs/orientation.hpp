// Turns and mirrors a picture as its EXIF orientation says.
//
// Pure; thread-safe for different buffers.
#pragma once

#include "base/picture.hpp"

namespace hotpack::codecs {

// Writes `stored` as seen under `orientation` (1…8) to `buffer` and returns a view of it; orientations 5…8 swap width and height.
// The picture must have 1 or 3 channels. Throws std::bad_alloc.
[[nodiscard]] ConstPicture orient(ConstPicture stored, int orientation, Buffer& buffer);

}  // namespace hotpack::codecs
