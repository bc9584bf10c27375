// Area resizing of 8-bit images by whole factors: each output is the mean of a block, bit for bit
// equal to OpenCV 4.6's cv::resize with INTER_AREA. For this room and its tests only.
//
// FORMAT.md ("Geometry") has the formulas. Sums are integers of 32 bits; beyond, they wrap around
// as OpenCV's do.
//
// Each worker has its own object, which keeps buffers; not thread-safe. It throws std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/fit.hpp"
#include "base/pixels.hpp"

namespace hotpack::geometry {

class BlockAverager {
 public:
  // Fills `out` with its part of `source`, resampled to the size of `region` and placed at
  // `region`, which covers all of `out`. Computes nothing else. Both images have the same number
  // of channels, 1 or 3, and do not overlap. The region's sizes divide the source's.
  void average(const ConstPixels& source, const Region& region, const MutablePixels& out);

 private:
  Buffer column_sums_, block_sums_;
};

}  // namespace hotpack::geometry
