// Lists the values of a binary label that no threshold divides, for the error message. Only
// src/labels uses this.
//
// Pure functions; thread-safe. One pass over the label.
#pragma once

#include <string>
#include <vector>

#include "base/raw_label.hpp"

namespace hotpack::labels {

struct DimContent {
  static constexpr std::size_t kMostKinds = 9;
  // Up to kMostKinds different values of the label, sorted: gray values as numbers, others as
  // colors.
  std::vector<std::string> values;
  int brightest = 0;  // as compared with the threshold: luma or, of 16 bits, the stored value

  // Returns a threshold that separates the brightest value from black; 0 if no threshold can.
  [[nodiscard]] int fitting_threshold() const {
    return values.size() <= 2 ? brightest : (brightest + 1) / 2;
  }
};

[[nodiscard]] DimContent dim_content(const RawLabel& label);

}  // namespace hotpack::labels
