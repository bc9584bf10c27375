// Finds runs of equal pixels in a row of a label. Labels have large areas of one value, so work per
// run is much cheaper than work per pixel.
//
// Each worker has its own RowRuns, which keeps its buffer; not thread-safe. It throws
// std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hotpack::labels {

class RowRuns {
 public:
  // Finds the runs of a row, which has at least one pixel. Returns false if runs are so short that
  // work per pixel is faster; begins() is then incomplete.
  [[nodiscard]] bool find(std::span<const std::uint16_t> ids);
  // The same for a row of `width` RGB pixels.
  [[nodiscard]] bool find_colors(const std::uint8_t* rgb, std::size_t width);

  // The first pixel of each run; the first one is 0. Valid until the next search.
  [[nodiscard]] std::span<const std::uint32_t> begins() const { return {begins_.data(), count_}; }

 private:
  // Makes room for the runs of a row. Returns the largest number of them.
  std::size_t prepare(std::size_t width);

  std::vector<std::uint32_t> begins_;
  std::size_t count_ = 0;
};

}  // namespace hotpack::labels
