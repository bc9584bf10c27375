// Square roots of integers, exact. Pure functions; thread-safe; they cannot fail.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace hotpack {

// ⌊√value⌋. The root of the nearest double is off by at most one.
[[nodiscard]] inline std::uint64_t isqrt_floor(std::uint64_t value) {
  constexpr std::uint64_t kMost = 0xFFFFFFFF;  // its square is the largest below 2^64
  std::uint64_t root =
      std::min(static_cast<std::uint64_t>(std::sqrt(static_cast<double>(value))), kMost);
  while (root * root > value) --root;
  while (root < kMost && (root + 1) * (root + 1) <= value) ++root;
  return root;
}

// ⌈√value⌉
[[nodiscard]] inline std::uint64_t isqrt_ceil(std::uint64_t value) {
  const std::uint64_t root = isqrt_floor(value);
  return root + (root * root != value);
}

}  // namespace hotpack
