// Antialiased resampling of 8-bit images: triangle, cubic and lanczos. The result equals, bit for
// bit, that of Image.resize with BILINEAR, BICUBIC and LANCZOS in Pillow 12.1 and older. Only this
// room and its tests use it.
//
// Resampling takes two passes in fixed point: first along the rows, then along the columns, always
// in this order. Each pass rounds to 8 bits. (Newer versions of Pillow reverse the order for images
// whose height shrinks more than their width, and differ there.) An axis that keeps its size has no
// pass. For an axis that shrinks, the kernel widens by the same factor. FORMAT.md ("Geometry") has
// the formulas.
//
// Each worker has its own objects, which keep tables and buffers; not thread-safe. Failure:
// std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "base/words.hpp"
#include "geometry/antialias_weights.hpp"
#include "geometry/weighted_sums.hpp"

namespace hotpack::geometry {

class Antialiaser {
 public:
  // Resamples `source` to the size of `region`, and places it at `region`, which covers all of
  // `out`. Writes only the part that `out` shows. Computes nothing else, and keeps only as many
  // rows of the first pass as one output row needs. Preconditions: both images have the same number
  // of channels, 1 or 3, and do not overlap; the filter is an antialiased one.
  void resample(const ConstPixels& source, const Region& region, ImageFilter filter,
                const MutablePixels& out);

 private:
  void resample_rows_only(const ConstPixels& source, int top, const MutablePixels& out);
  void resample_columns(const ConstPixels& source, const MutablePixels& out, int left);
  void resample_both(const ConstPixels& source, const MutablePixels& out);
  const std::uint8_t* first_pass_row(const ConstPixels& source, int y, const MutablePixels& out);
  template <class RowAt>
  void sum_all_rows(const RowAt& row_at, const MutablePixels& out);

  AxisWeights columns_, rows_;
  ColumnSummer column_summer_;
  RowSummer row_summer_;
  Buffer ring_;       // row y of the first pass is in slot y mod rows_.longest()
  int ring_end_ = 0;  // the first row of the first pass that is not computed yet
};

}  // namespace hotpack::geometry
