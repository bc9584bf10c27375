// Area resizing of 8-bit images by factors that are not whole, bit for bit equal to OpenCV 4.6's
// cv::resize with INTER_AREA where no axis grows. Only src/geometry and its tests use this.
//
// An output pixel covers a rectangle of source pixels, some of them partly. It is their mean,
// weighted by the covered part of each: first along the rows, then along the columns, in floats.
// Sums are rounded after each addition, so that their order is part of the result. FORMAT.md
// ("Geometry") has the formulas.
//
// Each worker has its own object, which keeps tables and buffers; not thread-safe. It throws
// std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "geometry/padded_rows.hpp"

namespace hotpack::geometry {

// The outputs first … first + count − 1 of an axis on which `source` pixels become `target` pixels.
// Precondition: target ≤ source.
struct AreaAxis {
  int source = 0, target = 0, first = 0, count = 0;
  bool operator==(const AreaAxis&) const = default;
};

// Computes which source pixels an output covers. Returns the index of the first of them, and fills
// `shares` with their weights, from that pixel on. The weights add up to nearly 1.
int area_shares(const AreaAxis& axis, int output, std::vector<float>& shares);

// Where the source pixels of each output column are, and their weights, for vector code. A lane is
// a float of a sum. An RGB pixel has 4 lanes: one per channel, and a fourth one that is unused. A
// gray pixel has 1 lane. The taps of an output are its source pixels in order. All outputs have the
// same number of taps; unused taps have share 0.
struct AreaColumns {
  std::size_t lanes = 0;             // of all pixels, and unused lanes that fill the last vector
  std::size_t taps = 0;              // the most inputs of an output
  std::vector<std::int32_t> starts;  // of the first input, in bytes from the row's start
  std::vector<float> shares;         // the share of tap t of a lane: [t * lanes + lane]
};

// What one row of source pixels adds to the sums of an output row. A source row may lie partly in
// one output row and partly in the next.
struct AreaStep {
  bool adds = false;    // adds to the sums of earlier rows of inputs; otherwise starts new sums
  bool ends = false;    // completes the sums, which are then written
  bool starts = false;  // with `ends`: then starts the sums of the next output row
  float share = 0, next_share = 0;
};

class AreaShrinker {
 public:
  // Resamples `source` to the size of `region` and places the result at `region`, which covers all
  // of `out`. Computes and writes only the part that lies in `out`. Preconditions: both images have
  // the same number of channels, 1 or 3, and do not overlap; the region is at most as wide and high
  // as the source.
  void resample(const ConstPixels& source, const Region& region, const MutablePixels& out);

 private:
  void update_columns(const AreaAxis& axis, int channels);
  void add_row(const ConstPixels& source, int y, const AreaStep& step, std::uint8_t* out);

  AreaAxis columns_axis_;
  int channels_ = 0;
  std::size_t pixels_ = 0;
  AreaColumns columns_;
  PaddedRows rows_;
  std::vector<float> shares_, next_shares_, sums_;
  std::vector<std::uint32_t> fours_;   // four inputs per output of a gray row
  std::vector<std::uint8_t> rounded_;  // a byte per lane
};

}  // namespace hotpack::geometry
