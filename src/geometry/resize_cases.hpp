// The images of the resize self-test, with hashes of OpenCV 4.6's results. For this room and its
// tests only; thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "base/words.hpp"
#include "geometry/resample.hpp"

namespace hotpack::geometry {

// One resize of a synthetic image. `hash` is the XXH3-64 of the packed result of Debian 12's
// OpenCV 4.6.0.
struct ResizeCase {
  ImageFilter filter;
  int channels;
  Extent source, target;
  std::uint64_t hash;
};

[[nodiscard]] std::span<const ResizeCase> stored_resize_cases();

// The hash of the linked library's result for a case; 0 if it fails.
[[nodiscard]] std::uint64_t resize_hash(const ResizeCase& resize_case);

// "" if every case gives its stored hash, else "resize:" and the library's name.
[[nodiscard]] std::string engine_of(std::span<const ResizeCase> cases);

}  // namespace hotpack::geometry
