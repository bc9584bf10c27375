// Colors as #rrggbb. Only src/labels uses this; pure functions, thread-safe.
#pragma once

#include <algorithm>
#include <string_view>

#include "hotpack/schema.hpp"

namespace hotpack::labels {

[[nodiscard]] inline int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// "#804080"
[[nodiscard]] inline bool is_hex_color(std::string_view word) {
  return word.size() == 7 && word.front() == '#' &&
         std::all_of(word.begin() + 1, word.end(), [](char c) { return hex_digit(c) >= 0; });
}

// Precondition: is_hex_color(hex).
[[nodiscard]] inline RgbColor hex_color(std::string_view hex) {
  RgbColor color{};
  for (std::size_t i = 0; i < color.size(); ++i)
    color[i] =
        static_cast<std::uint8_t>(16 * hex_digit(hex[1 + 2 * i]) + hex_digit(hex[2 + 2 * i]));
  return color;
}

}  // namespace hotpack::labels
