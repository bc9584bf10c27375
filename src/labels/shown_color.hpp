// The colors of the pixels in gray and palette labels of up to 8 bits. Only src/labels uses this.
//
// Pure functions; thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/raw_label.hpp"
#include "base/words.hpp"

namespace hotpack::labels {

// Scales a gray sample of 1, 2, 4 or 8 bits to 8 bits.
[[nodiscard]] inline std::uint8_t scaled_gray(std::size_t sample, int bit_depth) {
  const std::size_t most = (std::size_t{1} << bit_depth) - 1;
  return static_cast<std::uint8_t>(std::min(sample, most) * 255 / most);
}

// Absent if the index is beyond the palette.
[[nodiscard]] inline std::optional<RgbColor> shown_color(const RawLabel& label,
                                                         std::size_t sample) {
  if (!label.is_palette) {
    const std::uint8_t gray = scaled_gray(sample, label.bit_depth);
    return RgbColor{gray, gray, gray};
  }
  if (sample >= label.palette.size()) return std::nullopt;
  return label.palette[sample];
}

}  // namespace hotpack::labels
