#include "base/fit.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

namespace hotpack {

namespace {

// Returns length · to / from, rounded half up, in integers. If an image is only one pixel wide, the
// result may exceed the largest int; then it is the largest int.
int scaled(int length, int to, int from) {
  const std::int64_t exact = (2 * std::int64_t{length} * to + from) / (2 * std::int64_t{from});
  return static_cast<int>(std::min<std::int64_t>(exact, std::numeric_limits<int>::max()));
}

// Returns where an interval of `length` pixels starts if it is centered on an axis of `target`
// pixels; negative if it is longer than the axis. If the difference is odd, the extra pixel is at
// the end.
int centered(int target, int length) {
  return target >= length ? (target - length) / 2 : -((length - target) / 2);
}

Extent by_width(Extent source, int width) {
  return {width, std::max(1, scaled(source.height, width, source.width))};
}
Extent by_height(Extent source, int height) {
  return {std::max(1, scaled(source.width, height, source.height)), height};
}

// The scaled size for contain or cover.
Extent scaled_to_box(bool contain, Extent source, Extent target) {
  const std::int64_t width_first = std::int64_t{target.width} * source.height;
  const std::int64_t height_first = std::int64_t{target.height} * source.width;
  const bool width_decides = contain ? width_first <= height_first : width_first >= height_first;
  return width_decides ? by_width(source, target.width) : by_height(source, target.height);
}

}  // namespace

Extent scaled_extent(Fit fit, Extent source, Extent target) {
  switch (fit) {
    case Fit::stretch:
      return target;
    case Fit::crop_or_pad:
    case Fit::none:
      return source;
    case Fit::contain:
    case Fit::cover:
      return scaled_to_box(fit == Fit::contain, source, target);
    case Fit::long_side: {
      const int side = std::max(target.width, target.height);
      return source.width >= source.height ? by_width(source, side) : by_height(source, side);
    }
    case Fit::short_side: {
      const int side = std::min(target.width, target.height);
      return source.width <= source.height ? by_width(source, side) : by_height(source, side);
    }
  }
  return target;
}

int padded_length(int length, int step) {
  const std::int64_t padded = (std::int64_t{length} + step - 1) / step * step;
  return static_cast<int>(std::min<std::int64_t>(padded, std::numeric_limits<int>::max()));
}

std::vector<int> tile_edges(int length, int tile, int overlap) {
  if (length <= tile) return {0};
  std::vector<int> edges;
  for (int edge = 0; edge < length - tile; edge += tile - overlap) edges.push_back(edge);
  edges.push_back(length - tile);
  return edges;
}

Region fit_region(Fit fit, Anchor anchor, Extent source, Extent target) {
  if (fit == Fit::none) target = source;
  const Extent size = scaled_extent(fit, source, target);
  if (anchor == Anchor::top_left) return {0, 0, size.width, size.height};
  return {centered(target.width, size.width), centered(target.height, size.height), size.width,
          size.height};
}

}  // namespace hotpack
