// Resizes of synthetic images, whose results are known as hashes.
#pragma once

#include <cstdint>

#include "base/words.hpp"
#include "geometry/resample.hpp"

namespace hotpack::geometry {

// `hash` is the XXH3-64 of the pixels that the library gives which the filter equals.
struct ResizeCase {
  ImageFilter filter;
  int channels;
  Extent source, target;
  std::uint64_t hash;
};

// Returns the hash of the Resampler's result for a case; 0 if resizing fails.
[[nodiscard]] std::uint64_t resize_hash(const ResizeCase& resize_case);

}  // namespace hotpack::geometry
