// Antialiased resampling of 8-bit images: triangle, cubic and lanczos, equal to the bit to what Image.resize of Pillow 12.1 and older
// makes with BILINEAR, BICUBIC and LANCZOS. Inside this room and its tests only.
//
// Two passes in fixed point, each rounded to 8 bits: along the rows, then along the columns, always in this order (newer Pillows turn it
// round for images whose height shrinks more than their width, and differ there). A pass is left out where its axis keeps its size.
// Where an axis shrinks, the kernel is as much wider as the axis gets shorter. The formulas are in FORMAT.md ("Geometry").
//
// Both classes belong to one worker and keep their tables and buffers; not thread-safe. They throw std::bad_alloc.
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

// What each output of an axis is made of. Made again only when the range changes: most images of a set are of one size.
class AxisWeights {
 public:
  // Weighted inputs [first, first + count); the weights are in units of 2^-22 and add up to nearly 2^22.
  struct Window {
    int first = 0, count = 0;
    const std::int32_t* weights = nullptr;
  };

  void update(const AxisRange& wanted);
  // Of output `i` of the range. Neither `first` nor first + count ever falls from one output to the next.
  [[nodiscard]] Window window(int i) const;
  // The largest count a window can have.
  [[nodiscard]] int longest() const { return longest_; }

 private:
  struct Place {
    int first, count;
  };
  void fill(int i);

  AxisRange range_;
  int longest_ = 0;  // weights per window, used or not
  std::vector<Place> places_;
  std::vector<std::int32_t> weights_;
  std::vector<double> exact_;  // of one window
};

class Antialiaser {
 public:
  // Fills `out` with what is seen there of `source` when it is resampled to the size of `region` and laid at `region` of `out`, all of
  // which it covers. Nothing else is computed, and of the first pass only as many rows are held as one output row needs. Both images
  // have as many channels, 1 or 3, and do not overlap; the filter is an antialiased one.
  void resample(const ConstPixels& source, const Region& region, ImageFilter filter, const MutablePixels& out);

 private:
  void resample_rows_only(const ConstPixels& source, int top, const MutablePixels& out) const;
  void resample_columns(const ConstPixels& source, const MutablePixels& out, int left);
  void resample_both(const ConstPixels& source, const MutablePixels& out);
  const std::uint8_t* first_pass_row(const ConstPixels& source, int y, const MutablePixels& out);
  template <class RowAt>
  void sum_all_rows(const RowAt& row_at, const MutablePixels& out);

  AxisWeights columns_, rows_;
  Buffer ring_;       // rows of the first pass, row y in slot y mod rows_.longest()
  int ring_end_ = 0;  // the first row not yet made
  std::vector<const std::uint8_t*> window_rows_;
};

}  // namespace hotpack::geometry
