// Statistics of the pixels and classes of a pack. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace hotpack {

struct Statistics {
  /// Per channel, of packed pixels in [0, 1], not counting padding; absent if no pixel was seen.
  std::vector<std::optional<double>> mean;
  std::vector<std::optional<double>> std;  ///< standard deviation of the population, likewise
  std::vector<std::uint64_t> pixels;       ///< pixels per class (whole-image labels: samples)
  std::vector<std::uint64_t> samples;      ///< samples that contain the class, per class
  std::uint64_t ignored = 0;               ///< pixels without a class
  std::vector<std::optional<double>> weights_inverse;  ///< Σ pixels / (C · pixels_c)
  /// f_c = pixels_c / labeled pixels of the samples that contain class c
  std::vector<std::optional<double>> weights_median;  ///< median(f) / f_c
  bool operator==(const Statistics&) const = default;
};

}  // namespace hotpack
