// The colors that a sheet gives to classes.
//
// A class keeps the color of its table; a class without one, and one whose color looks like an earlier class's, gets a color of a fixed
// sequence, each as far as can be from those before it. Distances are those of Oklab (Ottosson 2020), computed with +, −, · and / of
// doubles alone: the colors are the same everywhere. Pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hotpack/schema.hpp"

namespace hotpack::preview {

struct ClassColors {
  std::vector<RgbColor> colors;  // by class id
  std::size_t replaced = 0;      // classes whose own color is not shown, because it looks like another's
};

// Beyond some hundreds of classes colors repeat or are hard to tell; beyond kMostCompared the tables' colors are taken as they are.
inline constexpr std::size_t kMostCompared = 1024;
[[nodiscard]] ClassColors class_colors(std::span<const ClassInfo> classes);

// How different two colors look as tints: 0 for equal ones, about 0.6 for black and white.
[[nodiscard]] double color_distance(RgbColor a, RgbColor b);

}  // namespace hotpack::preview
