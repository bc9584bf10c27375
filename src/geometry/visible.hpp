// The part of a region that lies inside its record. Only src/geometry uses this; pure functions,
// thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/fit.hpp"

namespace hotpack::geometry {

// A half-open rectangle in the record's coordinates.
struct Visible {
  int left = 0, top = 0, right = 0, bottom = 0;
  [[nodiscard]] int width() const { return right - left; }
  [[nodiscard]] int height() const { return bottom - top; }
  [[nodiscard]] bool empty() const { return left >= right || top >= bottom; }
};

// Returns the overlap of region and record; {0, 0, 0, 0} if there is none.
[[nodiscard]] inline Visible visible_part(const Region& region, Extent record) {
  const auto clip = [](std::int64_t edge, int limit) {
    return static_cast<int>(std::clamp<std::int64_t>(edge, 0, limit));
  };
  const Visible part{clip(region.x, record.width), clip(region.y, record.height),
                     clip(std::int64_t{region.x} + region.width, record.width),
                     clip(std::int64_t{region.y} + region.height, record.height)};
  return part.empty() ? Visible{} : part;
}

}  // namespace hotpack::geometry
