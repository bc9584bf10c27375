#include "preview/thumbnail.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hotpack::preview {

namespace {

// round(a · b / c), at least 1.
int scaled_side(int side, int numerator, int denominator) {
  const std::int64_t twice = 2 * std::int64_t{side} * numerator + denominator;
  return static_cast<int>(std::max<std::int64_t>(1, twice / (2 * std::int64_t{denominator})));
}

// Where the samples of an image lie, whatever its layout.
struct Strides {
  std::size_t row = 0, pixel = 0, channel = 0;
};

Strides strides_of(const ImageShape& shape) {
  const auto width = static_cast<std::size_t>(shape.width), height = static_cast<std::size_t>(shape.height);
  const auto channels = static_cast<std::size_t>(shape.channels);
  if (channels == 1) return {width, 1, 0};  // the one channel stands for all three
  if (shape.layout == AxisOrder::channels_first) return {width, 1, width * height};
  return {width * channels, channels, 1};
}

// RGB samples, pixel by pixel.
std::vector<std::uint8_t> interleaved(const ImageView& image) {
  const Strides strides = strides_of(image.shape);
  std::vector<std::uint8_t> samples;
  samples.reserve(static_cast<std::size_t>(3 * image.shape.width * image.shape.height));
  for (std::size_t y = 0; y < static_cast<std::size_t>(image.shape.height); ++y) {
    for (std::size_t x = 0; x < static_cast<std::size_t>(image.shape.width); ++x) {
      const std::size_t at = y * strides.row + x * strides.pixel;
      for (std::size_t c = 0; c < 3; ++c) samples.push_back(image.bytes[at + c * strides.channel]);
    }
  }
  return samples;
}

}  // namespace

Extent thumbnail_extent(Extent size, Extent box) {
  if (size.width <= box.width && size.height <= box.height) {
    const int factor = std::min(box.width / size.width, box.height / size.height);
    return {size.width * factor, size.height * factor};
  }
  const bool wide = std::int64_t{size.width} * box.height >= std::int64_t{size.height} * box.width;
  if (wide) return {box.width, std::min(box.height, scaled_side(size.height, box.width, size.width))};
  return {std::min(box.width, scaled_side(size.width, box.height, size.height)), box.height};
}

Status shrink(ConstPixels image, geometry::Resampler& resampler, MutablePixels thumbnail) {
  constexpr std::uint8_t kNoPadding[3] = {};
  const bool larger = thumbnail.width > image.width || thumbnail.height > image.height;
  const Region all{0, 0, thumbnail.width, thumbnail.height};
  return resampler.place(image, all, larger ? ImageFilter::nearest : ImageFilter::area, kNoPadding, thumbnail);
}

Status shrink_image(const ImageView& image, geometry::Resampler& resampler, MutablePixels thumbnail) {
  const std::vector<std::uint8_t> samples = interleaved(image);
  const auto width = static_cast<int>(image.shape.width), height = static_cast<int>(image.shape.height);
  return shrink({samples.data(), width, height, 3, 3 * static_cast<std::size_t>(width)}, resampler, thumbnail);
}

}  // namespace hotpack::preview
