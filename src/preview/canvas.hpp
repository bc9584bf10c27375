// A sheet of RGB pixels to draw on.
//
// Ownership: a Canvas owns its pixels and its font; it copies the images that it draws. Whatever
// lies outside the sheet is not drawn. Not thread-safe. Failure: std::bad_alloc.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "hotpack/schema.hpp"
#include "preview/font.hpp"

namespace hotpack::preview {

class Canvas {
 public:
  Canvas(Extent size, RgbColor background);

  [[nodiscard]] Extent size() const { return size_; }
  [[nodiscard]] RgbColor background() const { return background_; }
  // Returns the pixels; they are valid until the canvas grows.
  [[nodiscard]] ConstPixels image() const;

  // Adds rows at the bottom, in the color of the background.
  void grow(int rows);
  void fill(Region area, RgbColor color);
  // Draws the outline of an area, `thickness` pixels wide, inside the area.
  void frame(Region area, RgbColor color, int thickness = 1);
  // Fills an area with diagonal stripes of two colors, each `stripe` pixels wide.
  void hatch(Region area, RgbColor one, RgbColor other, int stripe);
  // Draws an RGB image with its upper left corner at x, y.
  void place(ConstPixels image, int x, int y);
  // Writes a line of text, line_height(size) pixels high, with its upper left corner at x, y.
  void write(std::u32string_view text, int x, int y, RgbColor color, int size);
  // The font in which write() writes.
  [[nodiscard]] Font& font() { return font_; }

 private:
  void ink(const Glyph& glyph, int x, int y, RgbColor color);
  [[nodiscard]] std::uint8_t* pixel(int x, int y);
  [[nodiscard]] Region clipped(Region area) const;

  Extent size_;
  RgbColor background_;
  std::vector<std::uint8_t> pixels_;
  Font font_;
};

// True if the pixel is on an odd stripe of a hatching: the one at the upper left, the third, ….
[[nodiscard]] constexpr bool on_stripe(int x, int y, int stripe) {
  return (x + y) / stripe % 2 == 0;
}

}  // namespace hotpack::preview
