// Where a record's pixels go in an output of one size. Plain values.
#pragma once

#include <cstdint>

#include "hotpack/augment.hpp"

namespace hotpack::expand {

// How the window `box` of a record becomes an output of `output` pixels. If `resample` is false,
// the window's pixels are copied to the upper left corner of the output, and the rest is padding;
// precondition: the window is no larger than the output. If `resample` is true, an image is
// resampled by the fixed-point linear formula and a label by nearest; only pixels of the window are
// read. At last the whole output, padding included, is flipped if `box` says so.
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
