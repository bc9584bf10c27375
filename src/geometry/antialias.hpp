// Antialiased resampling of 8-bit images: triangle, cubic and lanczos, bit for bit equal to
// Image.resize with BILINEAR, BICUBIC and LANCZOS in Pillow 12.1 and older. For this room and its
// tests only.
//
// Two passes in fixed point, each rounded to 8 bits: along the rows, then along the columns,
// always in this order. (Newer Pillows reverse the order for images whose height shrinks more
// than their width, and differ there.) An axis that keeps its size has no pass. For an axis that
// shrinks, the kernel widens by the same factor. FORMAT.md ("Geometry") has the formulas.
//
// Each worker has its own objects, which keep tables and buffers; not thread-safe. They throw
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

// Outputs [first, first + count) of an axis that maps `source` inputs to `target` outputs.
struct AxisRange {
  ImageFilter filter = ImageFilter::triangle;
  int source = 0, target = 0, first = 0, count = 0;
  bool operator==(const AxisRange&) const = default;
};

// The inputs of each output of an axis. Recomputed only if the range changes, since most images
// of a set have one size.
class AxisWeights {
 public:
  // Weighted inputs [first, first + count); weights are in units of 2^-22 and sum to nearly 2^22.
  struct Window {
    int first = 0, count = 0;
    const std::int32_t* weights = nullptr;
  };

  void update(const AxisRange& wanted);
  // The window of output `i` of the range. `first` and first + count never decrease from one
  // output to the next.
  [[nodiscard]] Window window(int i) const;
  // The largest count of a window.
  [[nodiscard]] int longest() const { return longest_; }

 private:
  struct Place {
    int first, count;
  };
  void fill(int i);

  AxisRange range_;
  int longest_ = 0;  // weights per window, including unused ones
  std::vector<Place> places_;
  std::vector<std::int32_t> weights_;
  std::vector<double> exact_;  // one window
};

class Antialiaser {
 public:
  // Fills `out` with its part of `source`, resampled to the size of `region` and placed at
  // `region`, which covers all of `out`. Computes nothing else, and keeps only as many rows of
  // the first pass as one output row needs. Both images have the same number of channels, 1 or 3,
  // and do not overlap. The filter is an antialiased one.
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
