// An image resampled to another size, row by row: what OpenCV's INTER_LINEAR gives on bytes, to the bit, in fixed point.
//
// Along an axis from s to d pixels output i lies at f = float((i + 0.5) · s/d − 0.5), between pixels k = ⌊f⌋ and k + 1, with weights in
// 2048ths. Columns beyond the border forget their fraction, rows keep it. Halving both axes takes means of four pixels.
// Places and weights are made in floating point: the thread is in the default mode (default_floats.hpp).
// Ownership: works in memory of the caller, and reads pixels of the caller, while it lives. Not thread-safe. Cannot fail; allocates
// nothing.
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
  // Weighted sums that the two rows under work take.
  [[nodiscard]] static std::size_t sum_count(std::size_t columns, std::size_t channels) { return 2 * (columns * channels + kSlack); }

  LinearWindow() = default;
  // `taps` of window.width to `columns`; `sums` holds sum_count of them. Precondition: the sizes differ.
  LinearWindow(const Window& window, std::size_t columns, std::size_t rows, const ColumnTap* taps, std::int16_t* sums);

  // Writes `columns` pixels. Rows may be asked for in any order; neighbours share work.
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
  std::size_t held_[2] = {kNone, kNone};  // which ones
};

}  // namespace hotpack::expand
