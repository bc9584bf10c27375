// Where a record's pixels go in an output of one size. Plain values.
#pragma once

#include <cstdint>

#include "hotpack/augment.hpp"

namespace hotpack::expand {

// The window `box` of a record becomes an output of `output` pixels:
// - copied: the window's pixels lie at the upper left corner; the rest is padding. Precondition:
// the
//   box is no larger than the output.
// - resampled: the image by the fixed-point linear formula, a label by nearest. Both read only
//   pixels of the window.
// Then the whole output, padding included, is flipped as the box says.
struct Placement {
  SampleCrop box;
  PixelSize output;
  bool resample = false;
};

// Returns the placement of a whole record, unchanged.
[[nodiscard]] inline Placement identity(PixelSize record) {
  return {{0, 0, static_cast<std::int32_t>(record.width), static_cast<std::int32_t>(record.height),
           false, false},
          record,
          false};
}

}  // namespace hotpack::expand
