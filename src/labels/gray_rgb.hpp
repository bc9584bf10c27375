// Handles RGB images in which all three channels are equal: some tools save ids in this form.
//
// Pure functions over the caller's memory; thread-safe.
#pragma once

#include <optional>

#include "base/pixels.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::labels {

struct ColoredPixel {
  int x = 0, y = 0;
  RgbColor color{};
};

// The first pixel, row by row, whose channels differ.
[[nodiscard]] std::optional<ColoredPixel> first_colored_pixel(ConstPixels rgb);

}  // namespace hotpack::labels
