// The colors that a sheet gives to classes.
//
// A class keeps the color of its table. A class without one, and one whose color looks like an
// earlier class's, gets the color of its id in the color map of PASCAL VOC, or the map's next one
// that no class has. Pure functions; thread-safe.
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
      0;  // classes whose own color is not shown, because it looks like another's
};

// Classes beyond so many are shown in the table's or the map's color as it is.
inline constexpr std::size_t kMostCompared = 1024;
[[nodiscard]] ClassColors class_colors(std::span<const ClassInfo> classes);

// The map of the PASCAL VOC development kit (VOClabelcolormap in VOCcode): bits 0, 1 and 2 of the
// id are the highest bits of red, green and blue, bits 3, 4 and 5 the second highest, and so on. 0
// is black, 1 (128, 0, 0), 2 (0, 128, 0), 3 (128, 128, 0).
[[nodiscard]] constexpr RgbColor voc_color(std::size_t id) {
  RgbColor color{};
  for (int bit = 7; bit >= 0; --bit, id >>= 3) {
    for (std::size_t c = 0; c < color.size(); ++c)
      color[c] = static_cast<std::uint8_t>(color[c] | (id >> c & 1U) << bit);
  }
  return color;
}

}  // namespace hotpack::preview
