#include "preview/thumbnail.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hotpack::preview {

namespace {

// Returns side · numerator / denominator, rounded, and at least 1.
int scaled_side(int side, int numerator, int denominator) {
  const std::int64_t twice = 2 * std::int64_t{side} * numerator + denominator;
  return static_cast<int>(std::max<std::int64_t>(1, twice / (2 * std::int64_t{denominator})));
}

bool is_interleaved_rgb(const ImageShape& shape) {
  return shape.channels == 3 && shape.layout == AxisOrder::channels_last;
}

// Converts a gray image, or one of three planes, to RGB pixel by pixel.
std::vector<std::uint8_t> interleaved(const ImageView& image) {
  const auto pixels = static_cast<std::size_t>(image.shape.width * image.shape.height);
  const std::size_t to_next_plane = image.shape.channels == 1 ? 0 : pixels;
  std::vector<std::uint8_t> samples(3 * pixels);
  for (std::size_t at = 0; at < pixels; ++at) {
    for (std::size_t c = 0; c < 3; ++c) samples[3 * at + c] = image.bytes[at + c * to_next_plane];
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
  if (wide)
    return {box.width, std::min(box.height, scaled_side(size.height, box.width, size.width))};
  return {std::min(box.width, scaled_side(size.width, box.height, size.height)), box.height};
}

Status shrink(ConstPixels image, geometry::Resampler& resampler, MutablePixels thumbnail) {
  constexpr std::uint8_t kNoPadding[3] = {};
  const bool larger = thumbnail.width > image.width || thumbnail.height > image.height;
  const Region all{0, 0, thumbnail.width, thumbnail.height};
  return resampler.place(image, all, larger ? ImageFilter::nearest : ImageFilter::area, kNoPadding,
                         thumbnail);
}

Status shrink_image(const ImageView& image, geometry::Resampler& resampler,
                    MutablePixels thumbnail) {
  const bool as_it_is = is_interleaved_rgb(image.shape);
  const std::vector<std::uint8_t> samples =
      as_it_is ? std::vector<std::uint8_t>() : interleaved(image);
  const auto width = static_cast<int>(image.shape.width),
             height = static_cast<int>(image.shape.height);
  return shrink({as_it_is ? image.bytes.data() : samples.data(), width, height, 3,
                 3 * static_cast<std::size_t>(width)},
                resampler, thumbnail);
}

}  // namespace hotpack::preview
