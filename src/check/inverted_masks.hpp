// Finds binary masks in which foreground and background are exchanged, by the other masks of the
// data set.
//
// A mask is reported if all of this is true:
//   - there are at least eight masks of two values, and at most one in ten is reported;
//   - its foreground is larger than the background of each of the others, which is half and more;
//   - its border is foreground for 9 of 10 pixels and more, and that of each of the others is
//     background for most pixels.
// So large objects cause no alarm where other masks are between the two.
//
// Memory: 24 bytes per mask. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "check/diagnostics.hpp"
#include "pack/inspection.hpp"

namespace hotpack::pipeline {

class InvertedMasks {
 public:
  // Adds a mask, the one with this number of the sample.
  void add(SamplePlace place, std::uint32_t number, const LabelInspection& mask);
  // `path_of` returns the path of a mask.
  void finish(const std::function<std::string(SamplePlace, std::uint32_t)>& path_of,
              Diagnostics& diagnostics) const;

 private:
  struct Mask {
    SamplePlace place;
    std::uint32_t number = 0;
    float foreground = 0, border = 0;  // shares of class 1
  };
  std::vector<Mask> masks_;
};

}  // namespace hotpack::pipeline
