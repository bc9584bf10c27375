// The images of the resize self-test and the hashes that OpenCV 4.6 gives. Inside this room and its tests only; thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "base/words.hpp"
#include "geometry/resample.hpp"

namespace hotpack::geometry {

// One resize of a synthetic image. `hash` is the XXH3-64 of the packed result as Debian 12's OpenCV 4.6.0 computes it.
struct ResizeCase {
  ImageFilter filter;
  int channels;
  Extent source, target;
  std::uint64_t hash;
};

[[nodiscard]] std::span<const ResizeCase> stored_resize_cases();

// The hash of what the linked library makes of a case; 0 where it fails.
[[nodiscard]] std::uint64_t resize_hash(const ResizeCase& resize_case);

// "" when every case gives its stored hash, else "resize:" and the library's name.
[[nodiscard]] std::string engine_of(std::span<const ResizeCase> cases);

}  // namespace hotpack::geometry
