// The two passes of the antialiased filters with vector code: weighted sums along rows and along
// columns, with the weights of antialias_weights.hpp. Sums are exact, so their order does not
// matter; at the end they are rounded, halves up, and limited to 8 bits. Only src/geometry
// and its tests use this.
//
// Vector code multiplies 16-bit integers, so a weight is split: weight = 256 · upper + lower, with
// 0 ≤ lower < 256. Source values are taken in pairs, which one instruction multiplies and adds.
//
// Each worker has its own objects, which keep tables and buffers; not thread-safe. Failure:
// std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/pixels.hpp"
#include "geometry/antialias_weights.hpp"
#include "geometry/padded_rows.hpp"

namespace hotpack::geometry {

// Where the source pixels of each output column are, and their weights. A lane is a 32-bit sum. An
// RGB pixel has four lanes: one per channel, and a fourth one that is unused. A gray pixel has one
// lane. Every output has the same number of pairs of source pixels; unused ones have weight 0.
struct WeightedColumns {
  std::size_t pixels = 0;
  std::size_t lanes = 0;  // of all pixels, and unused lanes that fill the last vector
  std::size_t pairs = 0;
  std::vector<std::int32_t> starts;  // of each pixel's first input, in bytes from the row's start
  // For each pair the upper parts of all lanes, then the lower parts; two numbers per lane.
  std::vector<std::int16_t> weights;
};

class ColumnSummer {
 public:
  // Takes over the weights of `columns`, which are those of `range`.
  void update(const AxisRange& range, const AxisWeights& columns, int channels);
  // Writes the outputs of row y of `source`, which is as wide as the range's source.
  void sum(const ConstPixels& source, int y, std::uint8_t* out);
  // Writes the outputs of a row behind which PaddedRows::kSlack more bytes can be read.
  void sum(const std::uint8_t* in, std::uint8_t* out);

 private:
  void fill(std::size_t pixel, const AxisWeights::Window& window);

  AxisRange range_;
  int channels_ = 0;
  WeightedColumns columns_;
  PaddedRows rows_;
  std::vector<std::uint32_t> fours_;   // four inputs per output of a gray row
  std::vector<std::uint8_t> rounded_;  // a byte per lane
};

class RowSummer {
 public:
  // The rows to sum. The caller sets as many as the next window has inputs.
  [[nodiscard]] std::vector<const std::uint8_t*>& rows() { return rows_; }
  // Writes `count` samples, the weighted sums of the rows.
  void sum(const AxisWeights::Window& window, std::uint8_t* out, std::size_t count);

 private:
  std::vector<const std::uint8_t*> rows_;
  std::vector<std::int32_t> weights_;  // per pair of rows: two upper parts, two lower parts
};

}  // namespace hotpack::geometry
