// Undoes PNG's row filters for several rows at once.
//
// A filtered byte needs the bytes to its left, above, and above to the left, so one row is a long
// chain of dependent operations. Here a vector holds one pixel of each of several rows, and each
// row lags two pixels behind the row above, so the vector's lanes do not depend on each other.
//
// Pure function; thread-safe. Trusts its input.
#pragma once

#include <cstddef>
#include <cstdint>

#include "limit/image.hpp"

namespace limit {

// `filtered` has image.height rows, each a filter type and the samples; kSlack bytes beyond are
// readable. Fills `image`, of 1 or 3 channels, which has kSlack bytes between its rows.
void undo_filters(const std::uint8_t* filtered, const Image& image);

}  // namespace limit
