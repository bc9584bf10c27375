// The place of a record's pixels in an output of one size. Plain values.
#pragma once

#include <cstdint>

#include "hotpack/augment.hpp"

namespace hotpack::expand {

// The window `box` of a record becomes an output of `output` pixels:
// - copied: its pixels lie at the upper left corner, the rest is padding. Precondition: box no
// larger than output.
// - resampled: image by the fixed-point linear formula, label by nearest, both on the window alone
// (no pixel outside it is read). Then the whole output (padding too) is flipped as the box says.
struct Placement {
  SampleCrop box;
  PixelSize output;
  bool resample = false;
};

// The whole record as it is.
[[nodiscard]] inline Placement identity(PixelSize record) {
  return {{0, 0, static_cast<std::int32_t>(record.width), static_cast<std::int32_t>(record.height),
           false, false},
          record,
          false};
}

}  // namespace hotpack::expand
