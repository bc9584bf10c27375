// A sheet of RGB pixels to draw on.
//
// Ownership: a Canvas owns its pixels and its font; images given to it are copied. Whatever lies
// outside is clipped. Not thread-safe. Failure: std::bad_alloc where there is no memory.
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
  // The pixels, valid until the canvas grows.
  [[nodiscard]] ConstPixels image() const;

  // More rows at the bottom, in the background's color.
  void grow(int rows);
  void fill(Region area, RgbColor color);
  // The outline of an area, inside it, `thickness` pixels.
  void frame(Region area, RgbColor color, int thickness = 1);
  // Diagonal stripes, each `stripe` pixels.
  void hatch(Region area, RgbColor one, RgbColor other, int stripe);
  // An RGB image with its upper left corner at x, y.
  void place(ConstPixels image, int x, int y);
  // Text whose line (line_height(size) pixels) begins at x, y.
  void write(std::u32string_view text, int x, int y, RgbColor color, int size);
  // The font that it writes with.
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

// True on every other stripe of a hatching, from the one at the upper left on.
[[nodiscard]] constexpr bool on_stripe(int x, int y, int stripe) {
  return (x + y) / stripe % 2 == 0;
}

}  // namespace hotpack::preview
