// Chooses the colors in which classes are drawn on a sheet.
//
// A class has the color of the class table. If it has none there, or if that color looks like the
// color of an earlier class, the class gets the color of its id in the color map of PASCAL VOC or,
// if that is taken, a later color of the map. Pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hotpack/schema.hpp"

namespace hotpack::preview {

struct ClassColors {
  std::vector<RgbColor> colors;  // by class id
  std::size_t replaced =
      0;  // number of classes whose own color is not shown, because it looks like another one
};

// The number of classes, from id 0, whose colors are compared with each other. Later classes get
// the color of the class table or of the map, even if it looks like another color.
inline constexpr std::size_t kMostCompared = 1024;
[[nodiscard]] ClassColors class_colors(std::span<const ClassInfo> classes);

// Returns the color of an id in the color map of the PASCAL VOC development kit (VOClabelcolormap
// in VOCcode). Bits 0, 1 and 2 of the id become the highest bits of red, green and blue; bits 3, 4
// and 5 become the second highest bits, and so on. Id 0 is (0,0,0), id 1 is (128,0,0), id 2 is
// (0,128,0), and id 3 is (128,128,0).
[[nodiscard]] constexpr RgbColor voc_color(std::size_t id) {
  RgbColor color{};
  for (int bit = 7; bit >= 0; --bit, id >>= 3) {
    for (std::size_t c = 0; c < color.size(); ++c)
      color[c] = static_cast<std::uint8_t>(color[c] | (id >> c & 1U) << bit);
  }
  return color;
}

}  // namespace hotpack::preview
