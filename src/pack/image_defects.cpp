#include "pack/image_defects.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace hotpack::pipeline {

namespace {

constexpr int kLeastFilledRows = 8;
constexpr std::size_t kLeastSamples = 64;  // smaller images are specks; check reports their size
constexpr int kMiddleGray = 128, kGraySlack = 2;

std::size_t row_size(ConstPixels image) {
  return static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.channels);
}

// True if all pixels of a row are equal.
bool is_even(ConstPixels image, int y) {
  const std::uint8_t* const row = image.row(y);
  const auto pixel = static_cast<std::size_t>(image.channels);
  return std::memcmp(row, row + pixel, row_size(image) - pixel) == 0;
}

bool same_rows(ConstPixels image, int a, int b) {
  return std::memcmp(image.row(a), image.row(b), row_size(image)) == 0;
}

bool is_middle_gray(const std::uint8_t* pixel, int channels) {
  const auto [low, high] = std::minmax_element(pixel, pixel + channels);
  return *low == *high && *low >= kMiddleGray - kGraySlack && *low <= kMiddleGray + kGraySlack;
}

RgbColor color_at(ConstPixels image, int x, int y) {
  const std::uint8_t* const pixel = image.row(y) + std::ptrdiff_t{x} * image.channels;
  return image.channels == 3 ? RgbColor{pixel[0], pixel[1], pixel[2]}
                             : RgbColor{pixel[0], pixel[0], pixel[0]};
}

std::uint8_t upper_byte(std::uint16_t sample) { return static_cast<std::uint8_t>(sample >> 8); }

// The color that a viewer shows for a pixel of a label.
RgbColor color_at(const RawLabel& label, int x, int y) {
  if (label.rgb.data != nullptr) return color_at(label.rgb, x, y);
  if (label.wide_rgb.data != nullptr) {
    const std::uint16_t* const color = label.wide_rgb.row(y) + std::ptrdiff_t{x} * 3;
    return {upper_byte(color[0]), upper_byte(color[1]), upper_byte(color[2])};
  }
  const std::uint16_t sample = label.samples.row(y)[x];
  if (label.is_palette && sample < label.palette.size()) return label.palette[sample];
  const unsigned most = (1u << label.bit_depth) - 1;
  const auto gray =
      label.bit_depth == 16 ? upper_byte(sample) : static_cast<std::uint8_t>(sample * 255u / most);
  return {gray, gray, gray};
}

}  // namespace

ImageDefects find_defects(ConstPixels image) {
  ImageDefects defects;
  const int last = image.height - 1;
  if (!is_even(image, last)) return defects;
  int equal = 1;  // rows from the bottom up
  while (equal < image.height && same_rows(image, last, last - equal)) ++equal;
  const bool whole = equal == image.height;
  defects.one_color =
      whole && row_size(image) * static_cast<std::size_t>(image.height) >= kLeastSamples;
  if (!whole && equal >= kLeastFilledRows && !same_rows(image, last, 0) &&
      is_middle_gray(image.row(last), image.channels))
    defects.filled = static_cast<double>(equal) / image.height;
  return defects;
}

bool has_only(ConstPixels image, RgbColor color) {
  if (color_at(image, 0, 0) != color || !is_even(image, 0)) return false;
  for (int y = 1; y < image.height; ++y)
    if (!same_rows(image, 0, y)) return false;
  return true;
}

bool shows_label(ConstPixels image, const RawLabel& label) {
  if (image.width != label.width || image.height != label.height) return false;
  bool varies = false;
  const RgbColor first = color_at(label, 0, 0);
  for (int y = 0; y < label.height; ++y)
    for (int x = 0; x < label.width; ++x) {
      const RgbColor color = color_at(label, x, y);
      if (color_at(image, x, y) != color) return false;
      varies = varies || color != first;
    }
  return varies;
}

}  // namespace hotpack::pipeline
