// Images made small enough for a sheet: every pixel is the mean of the area that it covers, in integers, so that a sheet's pixels are the
// same everywhere. Small images are enlarged by whole factors, so that their pixels show.
//
// Pure functions over the caller's memory; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "hotpack/shard.hpp"

namespace hotpack::preview {

// The size at which an image is shown in a box: the largest that fits and keeps the aspect, or the largest whole multiple.
[[nodiscard]] Extent thumbnail_extent(Extent size, Extent box);

// Which source pixels each pixel of a thumbnail covers along one axis, and how much of each. Owns its tables.
class CoveredAxis {
 public:
  struct Part {
    int index = 0;  // of a source pixel
    std::uint64_t weight = 0;
  };
  // Both at least 1.
  CoveredAxis(int source, int target);

  [[nodiscard]] int size() const { return static_cast<int>(first_.size()) - 1; }
  [[nodiscard]] std::span<const Part> of(int target) const;
  // The weights of a pixel's parts, added up.
  [[nodiscard]] std::uint64_t total() const { return total_; }

 private:
  std::uint64_t total_;
  std::vector<Part> parts_;
  std::vector<std::size_t> first_;  // part of each target pixel, and the end
};

// Fills `thumbnail` (RGB) from an image of either layout; gray becomes three equal channels.
void shrink_image(const ImageView& image, MutablePixels thumbnail);

}  // namespace hotpack::preview
