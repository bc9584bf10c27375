// Resamples an image row by row, in fixed point, to the same bits as OpenCV's INTER_LINEAR on
// bytes.
//
// Along an axis from s to d pixels, output i lies at f = float((i + 0.5) · s/d − 0.5), between
// pixels k = ⌊f⌋ and k + 1, with weights in 2048ths. Columns beyond the border lose their
// fraction, rows keep it. Halving both axes averages four pixels.
// Positions and weights are computed in floating point: the thread must be in the default mode
// (default_floats.hpp).
// Ownership: uses memory and pixels of the caller while it lives. Not thread-safe. Does not fail
// or allocate.
#pragma once

#include <cstddef>
#include <cstdint>

#include "expand/image_kernels.hpp"

namespace hotpack::expand {

// 1 or 3 interleaved channels; rows are `row_bytes` apart.
struct Window {
  const std::uint8_t* data = nullptr;
  std::size_t row_bytes = 0;
  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t channels = 1;
};

// The taps of all columns.
void fill_column_taps(std::size_t source_width, std::size_t columns, ColumnTap* taps);

class LinearWindow {
 public:
  // The number of weighted sums for the two current rows.
  [[nodiscard]] static std::size_t sum_count(std::size_t columns, std::size_t channels) {
    return 2 * (columns * channels + kSlack);
  }

  LinearWindow() = default;
  // `taps` are those of window.width for `columns`; `sums` has room for sum_count of them.
  // Precondition: the sizes differ.
  LinearWindow(const Window& window, std::size_t columns, std::size_t rows, const ColumnTap* taps,
               std::int16_t* sums);

  // Writes `columns` pixels. Rows may be requested in any order; neighboring rows share work.
  void row(std::size_t y, const ImageKernels& kernels, std::uint8_t* out);

 private:
  void mean_row(std::size_t y, std::uint8_t* out) const;
  const std::int16_t* sums_of(std::size_t source_row, const ImageKernels& kernels);

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  Window window_;
  std::size_t columns_ = 0;
  std::size_t rows_ = 0;
  const ColumnTap* taps_ = nullptr;
  std::int16_t* sums_[2] = {};            // for an even and for an odd row of the window
  std::size_t held_[2] = {kNone, kNone};  // their row numbers
};

}  // namespace hotpack::expand
