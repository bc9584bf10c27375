// Conversions of pixels that libpng and libjpeg do not do. Each function converts a run of
// consecutive pixels. Source and target do not overlap.
//
// Pure; thread-safe. Nothing here allocates or fails, so longjmp may leave the loops.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hotpack/schema.hpp"

namespace hotpack::codecs {

// The gray of a color: (299 R + 587 G + 114 B + 500) / 1000.
[[nodiscard]] constexpr std::uint8_t luma(unsigned red, unsigned green, unsigned blue) {
  return static_cast<std::uint8_t>((299 * red + 587 * green + 114 * blue + 500) / 1000);
}

// Returns the red, green or blue of a pixel from its cyan, magenta or yellow ink and its black ink,
// with OpenCV's formula. Both inks are inverted, as Adobe stores them: 255 means no ink.
[[nodiscard]] constexpr std::uint8_t ink_to_light(unsigned ink, unsigned black) {
  return static_cast<std::uint8_t>(black - ((255 - ink) * black >> 8));
}

// Blends a sample over the color behind it; `behind` is the same channel of that color.
[[nodiscard]] constexpr std::uint8_t blend(unsigned sample, unsigned behind, unsigned alpha) {
  return static_cast<std::uint8_t>((sample * alpha + behind * (255 - alpha) + 127) / 255);
}

void replicate_gray(const std::uint8_t* gray, std::uint8_t* rgb, std::size_t pixels);
void rgb_to_gray(const std::uint8_t* rgb, std::uint8_t* gray, std::size_t pixels);
void inks_to_rgb(const std::uint8_t* cmyk, std::uint8_t* rgb, std::size_t pixels);
void inks_to_gray(const std::uint8_t* cmyk, std::uint8_t* gray, std::size_t pixels);
void widen(const std::uint8_t* samples, std::uint16_t* ids, std::size_t pixels);

// `table` holds 256 entries of three (rgb) or one (gray) bytes.
void look_up_rgb(const std::uint8_t* indices, const std::uint8_t* table, std::uint8_t* rgb,
                 std::size_t pixels);
void look_up_gray(const std::uint8_t* indices, const std::uint8_t* table, std::uint8_t* gray,
                  std::size_t pixels);

[[nodiscard]] std::uint8_t largest(const std::uint8_t* samples, std::size_t count);

// Blends RGBA pixels over the color `behind`.
void blend_to_rgb(const std::uint8_t* rgba, const RgbColor& behind, std::uint8_t* rgb,
                  std::size_t pixels);
void blend_to_gray(const std::uint8_t* rgba, const RgbColor& behind, std::uint8_t* gray,
                   std::size_t pixels);

// These drop alpha. They return true if the alpha of any pixel differs from `alpha`.
[[nodiscard]] bool drop_alpha(const std::uint8_t* rgba, std::uint8_t* rgb, std::size_t pixels,
                              std::uint8_t alpha);
[[nodiscard]] bool drop_alpha(const std::uint16_t* rgba, std::uint16_t* rgb, std::size_t pixels,
                              std::uint16_t alpha);
[[nodiscard]] bool drop_gray_alpha(const std::uint8_t* gray_alpha, std::uint16_t* gray,
                                   std::size_t pixels, std::uint8_t alpha);
[[nodiscard]] bool drop_gray_alpha(const std::uint16_t* gray_alpha, std::uint16_t* gray,
                                   std::size_t pixels, std::uint16_t alpha);

}  // namespace hotpack::codecs
