// The number of source pixels per output pixel of an axis, computed as OpenCV computes it. Only
// src/geometry uses this; pure functions, thread-safe.
#pragma once

#include <cmath>
#include <limits>

namespace hotpack::geometry {

// Returns the number of source pixels per output pixel. Computes 1 / (target / source), not source
// / target: for some sizes these differ in the last bit, and then in the pixels or weights that are
// chosen.
[[nodiscard]] inline double opencv_scale(int source, int target) {
  return 1.0 / (static_cast<double>(target) / source);
}

// Returns true if OpenCV takes the scale for a whole number. For some targets that divide the
// source it does not: 1 / (1 / 49.0) is more than 49 in doubles.
[[nodiscard]] inline bool is_whole(double scale) {
  return std::abs(scale - std::nearbyint(scale)) < std::numeric_limits<double>::epsilon();
}

}  // namespace hotpack::geometry
