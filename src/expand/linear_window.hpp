// Resamples an image row by row in fixed point. The bytes equal those of OpenCV's INTER_LINEAR.
//
// If s source pixels along an axis become d output pixels, output i lies at f = float((i + 0.5) ·
// s/d − 0.5). It is computed from the pixels k = ⌊f⌋ and k + 1, with weights in units of 1/2048.
// Where f lies beyond the border, its fraction is dropped for columns and kept for rows. If both
// axes are halved, each output is the mean of four pixels. Positions and weights are computed in
// floating point: the thread must be in the default mode (default_floats.hpp).
// Ownership: uses the caller's memory and pixels while it lives. Not thread-safe. Does not fail or
// allocate.
#pragma once

#include <cstddef>
#include <cstdint>

#include "expand/image_kernels.hpp"

namespace hotpack::expand {

// Pixels of 1 or 3 interleaved channels, in rows that are `row_bytes` apart.
struct Window {
  const std::uint8_t* data = nullptr;
  std::size_t row_bytes = 0;
  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t channels = 1;
};

// Fills `taps` with the taps of all columns.
void fill_column_taps(std::size_t source_width, std::size_t columns, ColumnTap* taps);

class LinearWindow {
 public:
  // The number of weighted sums that two rows need.
  [[nodiscard]] static std::size_t sum_count(std::size_t columns, std::size_t channels) {
    return 2 * (columns * channels + kSlack);
  }

  LinearWindow() = default;
  // Prepares to resample `window` to `columns` × `rows` pixels. `taps` are those of
  // fill_column_taps() for window.width and `columns`; `sums` must have room for sum_count() sums.
  // Precondition: the output has another size than the window.
  LinearWindow(const Window& window, std::size_t columns, std::size_t rows, const ColumnTap* taps,
               std::int16_t* sums);

  // Writes row `y` of the output, which has `columns` pixels, to `out`. Rows may be requested in
  // any order; if neighboring rows follow one another, their common sums are computed once.
  void row(std::size_t y, const ImageKernels& kernels, std::uint8_t* out);

 private:
  void mean_row(std::size_t y, std::uint8_t* out) const;
  const std::int16_t* sums_of(std::size_t source_row, const ImageKernels& kernels);

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  Window window_;
  std::size_t columns_ = 0;
  std::size_t rows_ = 0;
  const ColumnTap* taps_ = nullptr;
  std::int16_t* sums_[2] = {};            // of an even and of an odd row of the window
  std::size_t held_[2] = {kNone, kNone};  // the numbers of these rows
};

}  // namespace hotpack::expand
