// Area resizing of 8-bit images by whole factors: each output pixel is the mean of a block of
// source pixels, bit for bit equal to OpenCV 4.6's cv::resize with INTER_AREA. Only src/geometry
// and its tests use this.
//
// FORMAT.md ("Geometry") has the formulas. Sums are integers of 32 bits; larger sums wrap around as
// OpenCV's do.
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
  // Resamples `source` to the size of `region` and places the result at `region`, which covers all
  // of `out`. Computes and writes only the part that lies in `out`. Preconditions: both images have
  // the same number of channels, 1 or 3, and do not overlap; the width and height of the region
  // divide those of the source.
  void average(const ConstPixels& source, const Region& region, const MutablePixels& out);

 private:
  Buffer column_sums_, block_sums_;
};

}  // namespace hotpack::geometry
