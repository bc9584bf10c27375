// The loops over samples that libpng and libjpeg leave to us. Each works on one run of pixels; source and target do not overlap.
//
// Pure; thread-safe. Nothing here allocates or fails, so the loops may run between C frames that are left by longjmp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hotpack::codecs {

// The gray of a colour: (299 R + 587 G + 114 B + 500) / 1000.
[[nodiscard]] constexpr std::uint8_t luma(unsigned red, unsigned green, unsigned blue) {
  return static_cast<std::uint8_t>((299 * red + 587 * green + 114 * blue + 500) / 1000);
}

void replicate_gray(const std::uint8_t* gray, std::uint8_t* rgb, std::size_t pixels);
void rgb_to_gray(const std::uint8_t* rgb, std::uint8_t* gray, std::size_t pixels);
void widen(const std::uint8_t* samples, std::uint16_t* ids, std::size_t pixels);

// `table` holds 256 entries of three (rgb) or one (gray) bytes.
void look_up_rgb(const std::uint8_t* indices, const std::uint8_t* table, std::uint8_t* rgb, std::size_t pixels);
void look_up_gray(const std::uint8_t* indices, const std::uint8_t* table, std::uint8_t* gray, std::size_t pixels);

[[nodiscard]] std::uint8_t largest(const std::uint8_t* samples, std::size_t count);

// Drop alpha. They return whether any alpha differs from `alpha`.
[[nodiscard]] bool drop_alpha(const std::uint8_t* rgba, std::uint8_t* rgb, std::size_t pixels, std::uint8_t alpha);
[[nodiscard]] bool drop_gray_alpha(const std::uint8_t* gray_alpha, std::uint16_t* gray, std::size_t pixels, std::uint8_t alpha);
[[nodiscard]] bool drop_gray_alpha(const std::uint16_t* gray_alpha, std::uint16_t* gray, std::size_t pixels, std::uint16_t alpha);

}  // namespace hotpack::codecs
