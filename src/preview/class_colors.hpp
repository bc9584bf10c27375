// The colours that a sheet gives to classes.
//
// A class keeps the colour of its table; a class without one, and one whose colour looks like an earlier class's, gets a colour of a fixed
// sequence, each as far as can be from those before it. Distances are those of Oklab (Ottosson 2020), computed with +, −, · and / of
// doubles alone: the colours are the same everywhere. Pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hotpack/schema.hpp"

namespace hotpack::preview {

struct ClassColors {
  std::vector<RgbColor> colors;  // by class id
  std::size_t replaced = 0;      // classes whose own colour is not shown, because it looks like another's
};

// Beyond some hundreds of classes colours repeat or are hard to tell; beyond kMostCompared the tables' colours are taken as they are.
inline constexpr std::size_t kMostCompared = 1024;
[[nodiscard]] ClassColors class_colors(std::span<const ClassInfo> classes);

// How different two colours look as tints: 0 for equal ones, about 0.6 for black and white.
[[nodiscard]] double color_distance(RgbColor a, RgbColor b);

}  // namespace hotpack::preview
