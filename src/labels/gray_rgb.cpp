#include "labels/gray_rgb.hpp"

namespace hotpack::labels {

std::optional<ColoredPixel> first_colored_pixel(ConstPixels rgb) {
  for (int y = 0; y < rgb.height; ++y) {
    const std::uint8_t* at = rgb.row(y);
    for (int x = 0; x < rgb.width; ++x, at += 3)
      if (at[0] != at[1] || at[0] != at[2]) return ColoredPixel{x, y, {at[0], at[1], at[2]}};
  }
  return std::nullopt;
}

}  // namespace hotpack::labels
