#include "codecs/orientation.hpp"

#include <algorithm>
#include <cstring>

namespace hotpack::codecs {
namespace {

// Where the pixels of the turned image are in the stored image: `corner` is the stored pixel that
// becomes the upper left one. `right` and `down` are the distances in bytes between stored pixels
// that become neighbors, to the right and below.
struct Walk {
  const std::uint8_t* corner;
  std::ptrdiff_t right;
  std::ptrdiff_t down;
};

Walk walk_for(const ConstPixels& stored, int orientation) {
  const std::ptrdiff_t pixel = stored.channels;
  const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(stored.row_bytes);
  const std::ptrdiff_t last_pixel = pixel * (stored.width - 1);
  const std::ptrdiff_t last_row = row * (stored.height - 1);
  switch (orientation) {
    case 2:
      return {stored.data + last_pixel, -pixel, row};  // mirrored left to right
    case 3:
      return {stored.data + last_row + last_pixel, -pixel, -row};  // upside down
    case 4:
      return {stored.data + last_row, pixel, -row};  // mirrored top to bottom
    case 5:
      return {stored.data, row, pixel};  // transposed
    case 6:
      return {stored.data + last_row, -row, pixel};  // to turn clockwise
    case 7:
      return {stored.data + last_row + last_pixel, -row, -pixel};  // transposed the other way
    case 8:
      return {stored.data + last_pixel, row, -pixel};  // to turn counterclockwise
    default:
      return {stored.data, pixel, row};
  }
}

// The side, in pixels, of the squares in which an image is turned. A row of a square may need
// pixels of kTile stored rows; the square is so small that these stay in the cache for its next
// row.
constexpr int kTile = 16;

template <int kChannels>
void copy_tile(const Walk& walk, const MutablePixels& seen, int x0, int y0) {
  const int x1 = std::min(x0 + kTile, seen.width);
  const int y1 = std::min(y0 + kTile, seen.height);
  for (int y = y0; y < y1; ++y) {
    std::uint8_t* to = seen.row(y) + std::ptrdiff_t{x0} * kChannels;
    const std::uint8_t* from = walk.corner + y * walk.down + x0 * walk.right;
    for (int x = x0; x < x1; ++x, to += kChannels)
      std::memcpy(to, from + (x - x0) * walk.right, kChannels);
  }
}

template <int kChannels>
void copy_all(const Walk& walk, const MutablePixels& seen) {
  for (int y = 0; y < seen.height; y += kTile) {
    for (int x = 0; x < seen.width; x += kTile) copy_tile<kChannels>(walk, seen, x, y);
  }
}

}  // namespace

ConstPixels orient(ConstPixels stored, int orientation, Buffer& buffer) {
  const bool swaps = orientation >= 5;
  MutablePixels seen;
  seen.width = swaps ? stored.height : stored.width;
  seen.height = swaps ? stored.width : stored.height;
  seen.channels = stored.channels;
  seen.row_bytes = static_cast<std::size_t>(seen.width) * static_cast<std::size_t>(seen.channels);
  seen.data =
      buffer.reserve_as<std::uint8_t>(seen.row_bytes * static_cast<std::size_t>(seen.height));
  const Walk walk = walk_for(stored, orientation);
  if (stored.channels == 1) {
    copy_all<1>(walk, seen);
  } else {
    copy_all<3>(walk, seen);
  }
  return seen;
}

}  // namespace hotpack::codecs
