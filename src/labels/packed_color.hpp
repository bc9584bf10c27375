// Colors as numbers: 0xRRGGBB. Pure functions; thread-safe.
#pragma once

#include <cstdint>

#include "hotpack/schema.hpp"

namespace hotpack::labels {

[[nodiscard]] constexpr std::uint32_t packed_color(RgbColor color) {
  return std::uint32_t{color[0]} << 16 | std::uint32_t{color[1]} << 8 | std::uint32_t{color[2]};
}

[[nodiscard]] constexpr RgbColor unpacked_color(std::uint32_t color) {
  return {static_cast<std::uint8_t>(color >> 16), static_cast<std::uint8_t>(color >> 8),
          static_cast<std::uint8_t>(color)};
}

// The color with red and blue exchanged.
[[nodiscard]] constexpr RgbColor exchanged(RgbColor color) {
  return {color[2], color[1], color[0]};
}

}  // namespace hotpack::labels
