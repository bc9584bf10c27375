// Chooses the colors of classes on a sheet.
//
// A class keeps the color that the class table gives it. If it has none, or if its color looks like
// that of an earlier class, it gets the color of its id in the color map of PASCAL VOC or, if that
// is taken, a later color of the map. Pure functions; thread-safe.
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

// The colors of only so many classes are compared. Later classes are shown in the color of the
// class table or of the map, even if it looks like another one.
inline constexpr std::size_t kMostCompared = 1024;
[[nodiscard]] ClassColors class_colors(std::span<const ClassInfo> classes);

// Returns the color of an id in the map of the PASCAL VOC development kit (VOClabelcolormap in
// VOCcode). Bits 0, 1 and 2 of the id become the highest bits of red, green and blue; bits 3, 4 and
// 5 become the second highest bits, and so on. Id 0 is (0,0,0), id 1 is (128,0,0), id 2 is
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
