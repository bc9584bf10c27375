#include "codecs/sample_rows.hpp"

#include <algorithm>

namespace hotpack::codecs {
namespace {

template <class Sample>
bool drop_gray_alpha_of(const Sample* gray_alpha, std::uint16_t* gray, std::size_t pixels,
                        Sample alpha) {
  unsigned differences = 0;
  for (std::size_t i = 0; i < pixels; ++i) {
    gray[i] = gray_alpha[2 * i];
    differences |= static_cast<unsigned>(gray_alpha[2 * i + 1] ^ alpha);
  }
  return differences != 0;
}

template <class Sample>
bool drop_alpha_of(const Sample* rgba, Sample* rgb, std::size_t pixels, Sample alpha) {
  unsigned differences = 0;
  for (std::size_t i = 0; i < pixels; ++i) {
    rgb[3 * i] = rgba[4 * i];
    rgb[3 * i + 1] = rgba[4 * i + 1];
    rgb[3 * i + 2] = rgba[4 * i + 2];
    differences |= static_cast<unsigned>(rgba[4 * i + 3] ^ alpha);
  }
  return differences != 0;
}

}  // namespace

void replicate_gray(const std::uint8_t* gray, std::uint8_t* rgb, std::size_t pixels) {
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::uint8_t value = gray[i];
    rgb[3 * i] = value;
    rgb[3 * i + 1] = value;
    rgb[3 * i + 2] = value;
  }
}

void rgb_to_gray(const std::uint8_t* rgb, std::uint8_t* gray, std::size_t pixels) {
  for (std::size_t i = 0; i < pixels; ++i)
    gray[i] = luma(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]);
}

void inks_to_rgb(const std::uint8_t* cmyk, std::uint8_t* rgb, std::size_t pixels) {
  for (std::size_t i = 0; i < pixels; ++i, cmyk += 4, rgb += 3) {
    for (int c = 0; c < 3; ++c) rgb[c] = ink_to_light(cmyk[c], cmyk[3]);
  }
}

void inks_to_gray(const std::uint8_t* cmyk, std::uint8_t* gray, std::size_t pixels) {
  for (std::size_t i = 0; i < pixels; ++i, cmyk += 4) {
    gray[i] = luma(ink_to_light(cmyk[0], cmyk[3]), ink_to_light(cmyk[1], cmyk[3]),
                   ink_to_light(cmyk[2], cmyk[3]));
  }
}

void widen(const std::uint8_t* samples, std::uint16_t* ids, std::size_t pixels) {
  std::copy_n(samples, pixels, ids);
}

void look_up_rgb(const std::uint8_t* indices, const std::uint8_t* table, std::uint8_t* rgb,
                 std::size_t pixels) {
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::uint8_t* color = table + std::size_t{3} * indices[i];
    rgb[3 * i] = color[0];
    rgb[3 * i + 1] = color[1];
    rgb[3 * i + 2] = color[2];
  }
}

void look_up_gray(const std::uint8_t* indices, const std::uint8_t* table, std::uint8_t* gray,
                  std::size_t pixels) {
  for (std::size_t i = 0; i < pixels; ++i) gray[i] = table[indices[i]];
}

std::uint8_t largest(const std::uint8_t* samples, std::size_t count) {
  std::uint8_t most = 0;
  for (std::size_t i = 0; i < count; ++i) most = std::max(most, samples[i]);
  return most;
}

void blend_to_rgb(const std::uint8_t* rgba, const RgbColor& behind, std::uint8_t* rgb,
                  std::size_t pixels) {
  for (std::size_t i = 0; i < pixels; ++i, rgba += 4, rgb += 3) {
    for (std::size_t c = 0; c < 3; ++c) rgb[c] = blend(rgba[c], behind[c], rgba[3]);
  }
}

void blend_to_gray(const std::uint8_t* rgba, const RgbColor& behind, std::uint8_t* gray,
                   std::size_t pixels) {
  for (std::size_t i = 0; i < pixels; ++i, rgba += 4) {
    gray[i] = luma(blend(rgba[0], behind[0], rgba[3]), blend(rgba[1], behind[1], rgba[3]),
                   blend(rgba[2], behind[2], rgba[3]));
  }
}

bool drop_alpha(const std::uint8_t* rgba, std::uint8_t* rgb, std::size_t pixels,
                std::uint8_t alpha) {
  return drop_alpha_of(rgba, rgb, pixels, alpha);
}

bool drop_alpha(const std::uint16_t* rgba, std::uint16_t* rgb, std::size_t pixels,
                std::uint16_t alpha) {
  return drop_alpha_of(rgba, rgb, pixels, alpha);
}

bool drop_gray_alpha(const std::uint8_t* gray_alpha, std::uint16_t* gray, std::size_t pixels,
                     std::uint8_t alpha) {
  return drop_gray_alpha_of(gray_alpha, gray, pixels, alpha);
}

bool drop_gray_alpha(const std::uint16_t* gray_alpha, std::uint16_t* gray, std::size_t pixels,
                     std::uint16_t alpha) {
  return drop_gray_alpha_of(gray_alpha, gray, pixels, alpha);
}

}  // namespace hotpack::codecs
