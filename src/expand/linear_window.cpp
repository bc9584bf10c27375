#include "expand/linear_window.hpp"

#include <algorithm>
#include <cmath>

namespace hotpack::expand {
namespace {

struct Position {
  std::int64_t floor = 0;
  float fraction = 0;
};

Position position_of(std::size_t i, std::size_t source, std::size_t target) {
  const double scale = 1.0 / (static_cast<double>(target) / static_cast<double>(source));
  const auto at = static_cast<float>((static_cast<double>(i) + 0.5) * scale - 0.5);
  const float floor = std::floor(at);
  return {static_cast<std::int64_t>(floor), at - floor};
}

// Rounds to nearest, halves to even, in the default floating-point mode.
std::int16_t weight_of(float fraction) {
  return static_cast<std::int16_t>(std::lrint(fraction * 2048.0f));
}

}  // namespace

void fill_column_taps(std::size_t source_width, std::size_t columns, ColumnTap* taps) {
  const auto last = static_cast<std::int64_t>(source_width) - 1;
  for (std::size_t x = 0; x < columns; ++x) {
    Position at = position_of(x, source_width, columns);
    if (at.floor < 0 || at.floor >= last) at = {at.floor < 0 ? 0 : last, 0.0f};
    taps[x] = {static_cast<std::int32_t>(at.floor), weight_of(1.0f - at.fraction),
               weight_of(at.fraction)};
  }
}

LinearWindow::LinearWindow(const Window& window, std::size_t columns, std::size_t rows,
                           const ColumnTap* taps, std::int16_t* sums)
    : window_(window),
      columns_(columns),
      rows_(rows),
      taps_(taps),
      sums_{sums, sums + columns * window.channels + kSlack} {}

void LinearWindow::row(std::size_t y, const ImageKernels& kernels, std::uint8_t* out) {
  if (window_.width == 2 * columns_ && window_.height == 2 * rows_) return mean_row(y, out);
  const Position at = position_of(y, window_.height, rows_);
  const auto last = static_cast<std::int64_t>(window_.height) - 1;
  const auto upper = static_cast<std::size_t>(std::clamp<std::int64_t>(at.floor, 0, last));
  const auto lower = static_cast<std::size_t>(std::clamp<std::int64_t>(at.floor + 1, 0, last));
  kernels.between(sums_of(upper, kernels), weight_of(1.0f - at.fraction), sums_of(lower, kernels),
                  weight_of(at.fraction), columns_ * window_.channels, out);
}

void LinearWindow::mean_row(std::size_t y, std::uint8_t* out) const {
  const std::size_t channels = window_.channels;
  const std::uint8_t* upper = window_.data + 2 * y * window_.row_bytes;
  for (std::size_t x = 0; x < columns_; ++x, upper += 2 * channels) {
    const std::uint8_t* const lower = upper + window_.row_bytes;
    for (std::size_t c = 0; c < channels; ++c) {
      *out++ = static_cast<std::uint8_t>(
          (upper[c] + upper[channels + c] + lower[c] + lower[channels + c] + 2) >> 2);
    }
  }
}

// Returns the weighted sums of a source row. Computes them unless sums_ still has them from an
// earlier output row. An output row needs two neighboring source rows; one of them is even and the
// other odd, so sums_ has one place for each kind.
const std::int16_t* LinearWindow::sums_of(std::size_t source_row, const ImageKernels& kernels) {
  const std::size_t slot = source_row % 2;
  if (held_[slot] != source_row) {
    kernels.across(window_.data + source_row * window_.row_bytes, window_.width, window_.channels,
                   taps_, columns_, sums_[slot]);
    held_[slot] = source_row;
  }
  return sums_[slot];
}

}  // namespace hotpack::expand
