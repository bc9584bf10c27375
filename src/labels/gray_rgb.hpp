// RGB images that are gray: labels whose ids stand three times in every pixel, as some tools save them.
//
// Pure functions over caller's memory; thread-safe.
#pragma once

#include <optional>

#include "base/pixels.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::labels {

struct ColoredPixel {
  int x = 0, y = 0;
  RgbColor color{};
};

// The first pixel, row by row, whose channels are not all equal.
[[nodiscard]] std::optional<ColoredPixel> first_colored_pixel(ConstPixels rgb);

}  // namespace hotpack::labels
