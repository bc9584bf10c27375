#include "preview/thumbnail.hpp"

#include <algorithm>
#include <array>

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

CoveredAxis::CoveredAxis(int source, int target) : total_(static_cast<std::uint64_t>(source)), first_{0} {
  // A source pixel is `target` units long, a pixel of the thumbnail `source` units.
  const auto unit = static_cast<std::uint64_t>(target);
  for (int i = 0; i < target; ++i) {
    const std::uint64_t begin = static_cast<std::uint64_t>(i) * total_, end = begin + total_;
    for (std::uint64_t index = begin / unit; index * unit < end; ++index)
      parts_.push_back({static_cast<int>(index), std::min(end, (index + 1) * unit) - std::max(begin, index * unit)});
    first_.push_back(parts_.size());
  }
}

std::span<const CoveredAxis::Part> CoveredAxis::of(int target) const {
  const auto at = static_cast<std::size_t>(target);
  return std::span(parts_).subspan(first_[at], first_[at + 1] - first_[at]);
}

void shrink_image(const ImageView& image, MutablePixels thumbnail) {
  const Strides strides = strides_of(image.shape);
  const CoveredAxis columns(static_cast<int>(image.shape.width), thumbnail.width);
  const CoveredAxis rows(static_cast<int>(image.shape.height), thumbnail.height);
  const std::uint64_t total = columns.total() * rows.total();
  for (int y = 0; y < thumbnail.height; ++y) {
    std::uint8_t* out = thumbnail.row(y);
    for (int x = 0; x < thumbnail.width; ++x) {
      std::array<std::uint64_t, 3> sums{};
      for (const CoveredAxis::Part& row : rows.of(y)) {
        for (const CoveredAxis::Part& column : columns.of(x)) {
          const std::size_t at = static_cast<std::size_t>(row.index) * strides.row + static_cast<std::size_t>(column.index) * strides.pixel;
          for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += row.weight * column.weight * image.bytes[at + c * strides.channel];
        }
      }
      for (const std::uint64_t sum : sums) *out++ = static_cast<std::uint8_t>((sum + total / 2) / total);
    }
  }
}

}  // namespace hotpack::preview
