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
#include <vector>

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "base/words.hpp"
#include "geometry/resample.hpp"

namespace hotpack::geometry {

// The outputs [first, first + count) of an axis of `source` inputs and `target` outputs.
struct AxisRange {
  ImageFilter filter = ImageFilter::triangle;
  int source = 0, target = 0, first = 0, count = 0;
  bool operator==(const AxisRange&) const = default;
};

// The weights of the inputs for each output of an axis. They are computed again only if the range
// changes, because most images of a data set have the same size.
class AxisWeights {
 public:
  // The inputs [first, first + count) and their weights, in units of 2^-22. The weights sum to
  // nearly 2^22.
  struct Window {
    int first = 0, count = 0;
    const std::int32_t* weights = nullptr;
  };

  void update(const AxisRange& wanted);
  // The window of output `i` of the range. `first` and first + count never decrease from one
  // output to the next.
  [[nodiscard]] Window window(int i) const;
  // Returns the largest number of inputs of a window.
  [[nodiscard]] int longest() const { return longest_; }

 private:
  struct Place {
    int first, count;
  };
  void fill(int i);

  AxisRange range_;
  int longest_ = 0;  // number of weights stored per window; some may be unused
  std::vector<Place> places_;
  std::vector<std::int32_t> weights_;
  std::vector<double> exact_;  // one window
};

class Antialiaser {
 public:
  // Resamples `source` to the size of `region`, and places it at `region`, which covers all of
  // `out`. Writes only the part that `out` shows. Computes nothing else, and keeps only as many
  // rows of the first pass as one output row needs. Preconditions: both images have the same number
  // of channels, 1 or 3, and do not overlap; the filter is an antialiased one.
  void resample(const ConstPixels& source, const Region& region, ImageFilter filter,
                const MutablePixels& out);

 private:
  void resample_rows_only(const ConstPixels& source, int top, const MutablePixels& out) const;
  void resample_columns(const ConstPixels& source, const MutablePixels& out, int left);
  void resample_both(const ConstPixels& source, const MutablePixels& out);
  const std::uint8_t* first_pass_row(const ConstPixels& source, int y, const MutablePixels& out);
  template <class RowAt>
  void sum_all_rows(const RowAt& row_at, const MutablePixels& out);

  AxisWeights columns_, rows_;
  Buffer ring_;       // row y of the first pass is in slot y mod rows_.longest()
  int ring_end_ = 0;  // the first row not computed yet
  std::vector<const std::uint8_t*> window_rows_;
};

}  // namespace hotpack::geometry
