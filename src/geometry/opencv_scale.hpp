// The number of inputs per output of an axis, computed as OpenCV computes it. For this room only;
// pure functions, thread-safe.
#pragma once

#include <cmath>
#include <limits>

namespace hotpack::geometry {

// The reciprocal of a quotient, not source / target: these differ in the last bit for some sizes,
// and then in the pixels or weights that are chosen.
[[nodiscard]] inline double opencv_scale(int source, int target) {
  return 1.0 / (static_cast<double>(target) / source);
}

// True where OpenCV takes the scale for a whole number. It does not for every target that divides
// its source: 1 / (1 / 49.0) is more than 49 in doubles.
[[nodiscard]] inline bool is_whole(double scale) {
  return std::abs(scale - std::nearbyint(scale)) < std::numeric_limits<double>::epsilon();
}

}  // namespace hotpack::geometry
