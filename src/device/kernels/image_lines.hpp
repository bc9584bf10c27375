// The pixels of a row of a batch, if the row is cut from a record without resampling. The pixels of
// a vector are loaded together, in words.
//
// For host and device. Pixels that are neighbors in a line of the output are neighbors in the
// record too, perhaps in reverse order. They are loaded as one string of bytes, and reversed in
// registers if necessary. If a vector extends beyond a line, or beyond the window, it is put
// together from several such strings. Pixels outside the window are zeros, as in
// expand::PlacedRows.
#pragma once

#include <cstdint>

#include "device/kernels/fast_division.hpp"
#include "device/kernels/image_args.hpp"
#include "device/kernels/image_bytes.hpp"
#include "device/kernels/image_window.hpp"
#include "device/kernels/portable.hpp"

namespace hotpack::device::image {

// Returns true if the bytes of a batch row are consecutive in its record: whole lines and, in a
// record of planes, whole planes.
HOTPACK_HOST_DEVICE inline bool is_straight(const ImageArgs& args, const RowEntry& entry) {
  const bool whole_planes =
      args.source_planes == 0 || args.channels == 1 || entry.record_height == args.height;
  return (entry.flags & (kRowFlipHorizontal | kRowFlipVertical)) == 0 &&
         entry.width == args.width && entry.height == args.height &&
         entry.record_width == args.width && whole_planes;
}

// The position of an element in the image of a batch row: the pixel at x and y, and the channel c.
// If a string of pixels began in the line before, x is negative.
struct Place {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::uint32_t c = 0;
};

// The image of a batch row and the window of the record in it. The window is at the upper left
// corner of the image. An image that the record contains unchanged counts as a single line.
class Lines {
 public:
  HOTPACK_HOST_DEVICE Lines(const ImageArgs& args, const RowEntry& entry, std::uint64_t pixels)
      : data_(window_of(args, entry).data),
        record_width_(static_cast<std::uint32_t>(entry.record_width)),
        record_height_(static_cast<std::uint32_t>(entry.record_height)),
        shown_width_(entry.width),
        shown_height_(entry.height),
        width_(args.width),
        height_(args.height),
        flags_(entry.flags) {
    if (is_straight(args, entry) && pixels >> 31 == 0) {
      width_ = shown_width_ = static_cast<std::int32_t>(pixels);
      height_ = shown_height_ = 1;
    }
    reciprocal_ = ~std::uint32_t{0} / static_cast<std::uint32_t>(width_);
  }

  // Returns the position of an element of the output. There are kChannels elements per pixel.
  // Precondition: the output has this element.
  template <int kChannels>
  [[nodiscard]] HOTPACK_HOST_DEVICE Place place_of(std::uint64_t element) const {
    const auto width = static_cast<std::uint32_t>(width_);
    if (element >> 32 == 0) {
      const auto small = static_cast<std::uint32_t>(element), pixel = small / kChannels;
      const std::uint32_t y = divide(pixel, width, std::uint64_t{reciprocal_} << 32);
      return {static_cast<std::int32_t>(pixel - y * width), static_cast<std::int32_t>(y),
              small - kChannels * pixel};
    }
    const std::uint64_t pixel = element / kChannels, y = long_quotient_of(pixel, width);
    return {static_cast<std::int32_t>(pixel - y * width), static_cast<std::int32_t>(y),
            static_cast<std::uint32_t>(element - kChannels * pixel)};
  }

  // line_of() returns the line of the window at a position of the output. column_of() returns the
  // column of the window at which `count` pixels from this position on begin in memory. Both may be
  // outside of the window.
  [[nodiscard]] HOTPACK_HOST_DEVICE std::int32_t line_of(const Place& place) const {
    return (flags_ & kRowFlipVertical) != 0 ? height_ - 1 - place.y : place.y;
  }
  [[nodiscard]] HOTPACK_HOST_DEVICE std::int32_t column_of(const Place& place,
                                                           std::int32_t count) const {
    return flips() ? width_ - count - place.x : place.x;
  }
  // The address of this line and column; it may be outside of the record.
  template <int kPixelBytes>
  [[nodiscard]] HOTPACK_HOST_DEVICE const std::uint8_t* address_of(std::int32_t line,
                                                                   std::int32_t column,
                                                                   std::uint32_t plane) const {
    const std::uint64_t stored_line =
        std::uint64_t{plane} * record_height_ + static_cast<std::uint32_t>(line);
    return data_ + (static_cast<std::int64_t>(stored_line * record_width_) + column) * kPixelBytes;
  }
  // The number of pixels that the window has in a line.
  [[nodiscard]] HOTPACK_HOST_DEVICE std::int32_t shown(std::int32_t line) const {
    return line < shown_height_ ? shown_width_ : 0;
  }

  // Moves the position to the next line. Returns true if some of the `count` pixels that began at
  // the old position are in that line.
  [[nodiscard]] HOTPACK_HOST_DEVICE bool next_line(Place& place, std::int32_t count) const {
    const bool beyond = width_ - place.x < count;
    place.x -= width_;
    ++place.y;
    return (static_cast<unsigned>(beyond) & static_cast<unsigned>(place.y < height_)) !=
           0;  // one branch: else ptxas copies the loop
  }

  [[nodiscard]] HOTPACK_HOST_DEVICE bool flips() const {
    return (flags_ & kRowFlipHorizontal) != 0;
  }

  // Byte c of the kPixelBytes bytes of a pixel in this plane.
  template <int kPixelBytes>
  [[nodiscard]] HOTPACK_HOST_DEVICE std::uint32_t byte_at(const Place& place, std::uint32_t plane,
                                                          std::uint32_t c) const {
    const std::int32_t line = line_of(place), column = column_of(place, 1);
    return column < shown(line) ? load_byte(address_of<kPixelBytes>(line, column, plane) + c) : 0;
  }

 private:
  const std::uint8_t* data_;  // the window's first pixel
  std::uint32_t record_width_;
  std::uint32_t record_height_;
  std::int32_t shown_width_;
  std::int32_t shown_height_;
  std::int32_t width_;
  std::int32_t height_;
  std::uint32_t flags_;
  std::uint32_t reciprocal_;  // ⌊(2^32 - 1) / width_⌋
};

// Loads kPixels neighboring pixels of the output from the record: kPixelBytes bytes from each of
// kPlanes planes. Call locate(), load() and finish() in this order. They are separate so that the
// loads of several objects can overlap.
template <int kPixels, int kPixelBytes, int kPlanes = 1>
class Neighbors {
 public:
  static constexpr int kBytes = kPixels * kPixelBytes;
  using Strings = Padded<kBytes>[std::size_t{kPlanes}];

  // Sets the first pixel and the first plane.
  HOTPACK_HOST_DEVICE void locate(const Lines& lines, const Place& place, std::uint32_t plane) {
    place_ = place;
    plane_ = plane;
    const std::int32_t line = lines.line_of(place), column = lines.column_of(place, kPixels);
    in_line_ = column >= 0 && column <= lines.shown(line) - kPixels;
    line_ = line;
    column_ = column;
  }
  // Loads the bytes if locate() found all pixels in one line; otherwise finish() loads them.
  HOTPACK_HOST_DEVICE void load(const Lines& lines) {
    if (!in_line_) return;
    HOTPACK_UNROLL
    for (std::uint32_t p = 0; p < kPlanes; ++p) {
      pieces_[p] =
          load_pieces<kBytes, kPiece>(lines.address_of<kPixelBytes>(line_, column_, plane_ + p));
    }
  }
  // Makes the bytes of each plane available in strings(), in the output's order.
  HOTPACK_HOST_DEVICE void finish(const Lines& lines) {
    if (in_line_) {
      HOTPACK_UNROLL
      for (int p = 0; p < kPlanes; ++p) strings_[p] = joined(pieces_[p]);
    } else {
      collect(lines);
    }
    if (!lines.flips()) return;
    HOTPACK_UNROLL
    for (int p = 0; p < kPlanes; ++p) strings_[p] = mirrored<kPixels, kPixelBytes>(strings_[p]);
  }
  [[nodiscard]] HOTPACK_HOST_DEVICE const Strings& strings() const { return strings_; }
  [[nodiscard]] HOTPACK_HOST_DEVICE std::uint32_t channel() const { return place_.c; }

 private:
  static constexpr int kPiece = kAlignment<kBytes> < 4 ? 4 : kAlignment<kBytes>;

  // Collects, line by line, the pixels that the window has. The other pixels stay zero.
  HOTPACK_HOST_DEVICE void collect(const Lines& lines) {
    bool more = true;
    HOTPACK_KEEP_LOOP
    while (more) {
      const std::int32_t line = lines.line_of(place_), column = lines.column_of(place_, kPixels);
      const std::int32_t shown = lines.shown(line);
      const std::int32_t begin = column < 0 ? -column : 0, end = column <= shown - kPixels ? kPixels
                                                                 : column < shown ? shown - column
                                                                                  : 0;
      HOTPACK_UNROLL
      for (std::uint32_t p = 0; p < kPlanes; ++p) {
        add_some<kBytes>(strings_[p], lines.address_of<kPixelBytes>(line, column, plane_ + p),
                         kPixelBytes * begin, kPixelBytes * end);
      }
      more = lines.next_line(place_, kPixels);
    }
  }

  Place place_;
  std::uint32_t plane_ = 0;
  std::int32_t line_ = 0;
  std::int32_t column_ = 0;
  bool in_line_ = false;
  Pieces<kBytes, kPiece> pieces_[std::size_t{kPlanes}];
  Strings strings_;
};

}  // namespace hotpack::device::image
