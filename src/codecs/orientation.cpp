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

  // Returns the stored pixel that becomes pixel (x, y).
  [[nodiscard]] const std::uint8_t* at(int x, int y) const { return corner + y * down + x * right; }
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

// An image is turned in parts of kLines stored rows by kRun pixels. Few rows, because each lies in
// another page of memory; and the cache lines of a part stay in the cache until they are used up.
constexpr int kLines = 16, kRun = 64;

struct Part {
  int x0, y0, x1, y1;  // in the turned image; x1 and y1 are not included
};

// Copies a row of a part. If `kBeyond`, also copies the byte after each pixel but the last, which
// the next pixel overwrites: four bytes are faster to move than three.
template <int kChannels, bool kBeyond>
void copy_row(const std::uint8_t* from, std::ptrdiff_t right, int pixels, std::uint8_t* to) {
  constexpr int kMoved = kBeyond ? kChannels + 1 : kChannels;
  for (int x = 1; x < pixels; ++x, to += kChannels, from += right) std::memcpy(to, from, kMoved);
  std::memcpy(to, from, kChannels);
}

template <int kChannels, bool kBeyond>
void copy_part(const Walk& walk, const MutablePixels& seen, const Part& part) {
  for (int y = part.y0; y < part.y1; ++y)
    copy_row<kChannels, kBeyond>(walk.at(part.x0, y), walk.right, part.x1 - part.x0,
                                 seen.row(y) + std::ptrdiff_t{part.x0} * kChannels);
}

// True if the part shows the last stored pixel, after which no byte may be read.
bool has_last(const Walk& walk, const Part& part, const std::uint8_t* last) {
  return std::max({walk.at(part.x0, part.y0), walk.at(part.x1 - 1, part.y0),
                   walk.at(part.x0, part.y1 - 1), walk.at(part.x1 - 1, part.y1 - 1)}) == last;
}

template <int kChannels>
void copy_all(const Walk& walk, const MutablePixels& seen, const std::uint8_t* last, bool swaps) {
  const int width = swaps ? kLines : kRun, height = swaps ? kRun : kLines;
  for (int y = 0; y < seen.height; y += height) {
    for (int x = 0; x < seen.width; x += width) {
      const Part part{x, y, std::min(x + width, seen.width), std::min(y + height, seen.height)};
      if (kChannels == 1 || has_last(walk, part, last)) {
        copy_part<kChannels, false>(walk, seen, part);
      } else {
        copy_part<kChannels, true>(walk, seen, part);
      }
    }
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
  const std::uint8_t* const last =
      stored.row(stored.height - 1) + std::ptrdiff_t{stored.channels} * (stored.width - 1);
  stored.channels == 1 ? copy_all<1>(walk, seen, last, swaps)
                       : copy_all<3>(walk, seen, last, swaps);
  return seen;
}

}  // namespace hotpack::codecs
