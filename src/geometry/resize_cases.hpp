// The test cases of resize_engine(): resizes of small images, with hashes of OpenCV 4.6's results.
// Only this room and its tests use them; thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "base/words.hpp"
#include "geometry/resample.hpp"

namespace hotpack::geometry {

// One test case: a resize of a computed image. `hash` is the XXH3-64 of the pixels that OpenCV
// 4.6.0 of Debian 12 produces.
struct ResizeCase {
  ImageFilter filter;
  int channels;
  Extent source, target;
  std::uint64_t hash;
};

[[nodiscard]] std::span<const ResizeCase> stored_resize_cases();

// Returns the hash of the Resampler's result for a case; 0 if resizing fails.
[[nodiscard]] std::uint64_t resize_hash(const ResizeCase& resize_case);

// Returns "" if every case gives its stored hash; otherwise "resize:" and the library's name.
[[nodiscard]] std::string engine_of(std::span<const ResizeCase> cases);

}  // namespace hotpack::geometry
