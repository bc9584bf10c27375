// Pixels of a canvas or a sheet.
#pragma once

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::test {

inline RgbColor color_at(const ConstPixels& image, int x, int y) {
  const std::uint8_t* pixel = image.row(y) + 3 * x;
  return {pixel[0], pixel[1], pixel[2]};
}

inline RgbColor center_of(const ConstPixels& image, const Region& box) {
  return color_at(image, box.x + box.width / 2, box.y + box.height / 2);
}

// Pixels of the color within an area.
inline int count(const ConstPixels& image, const Region& area, RgbColor color) {
  int found = 0;
  for (int y = area.y; y < area.y + area.height; ++y) {
    for (int x = area.x; x < area.x + area.width; ++x) found += color_at(image, x, y) == color;
  }
  return found;
}

inline int count(const ConstPixels& image, RgbColor color) {
  return count(image, {0, 0, image.width, image.height}, color);
}

}  // namespace hotpack::test
