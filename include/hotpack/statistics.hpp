// What is known about the pixels and classes of a packed data set. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace hotpack {

struct Statistics {
  std::vector<std::optional<double>> mean;  ///< a channel, of packed pixels in [0, 1], padding excluded; absent where nothing was seen
  std::vector<std::optional<double>> std;   ///< population's standard deviation, likewise
  std::vector<std::uint64_t> pixels;        ///< pixels per class (whole-image labels: samples)
  std::vector<std::uint64_t> samples;       ///< samples that hold the class
  std::uint64_t ignored = 0;                ///< pixels without a class
  std::vector<std::optional<double>> weights_inverse;  ///< Σ pixels / (C · pixels_c)
  std::vector<std::optional<double>> weights_median;   ///< median(f) / f_c, f_c = pixels_c / labelled pixels of the samples that hold c
  bool operator==(const Statistics&) const = default;
};

}  // namespace hotpack
