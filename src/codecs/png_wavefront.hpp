// Undoes PNG's row filters in eight rows at once.
//
// A pixel filtered with Paeth or average needs the decoded pixel to its left, so a processor that
// decodes one row mostly waits. Decoding eight rows at once fills this time. Each row is one pixel
// behind the row above it, because it needs that row's latest pixel.
//
// Pure functions; thread-safe. They never fail. Highway chooses the instruction set at run time;
// each gives the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hotpack::codecs {

// Rows of an image with their filter types, and where their samples go.
struct FilteredRows {
  const std::uint8_t* coded;  // for each row, a filter type (≤ kLastFilter) and `size` bytes
  std::uint8_t* out;          // rows of `size` bytes, `row_bytes` apart
  std::size_t size;
  std::size_t row_bytes;
  std::size_t pixel_bytes;  // 1 or 3; divides `size`

  [[nodiscard]] const std::uint8_t* coded_row(std::size_t y) const {
    return coded + y * (size + 1);
  }
  [[nodiscard]] std::uint8_t* row(std::size_t y) const { return out + y * row_bytes; }
};

inline constexpr std::size_t kWavefrontRows = 8;
inline constexpr std::size_t kLeastWavefrontPixels = 24;  // in a row
// Bytes that must be readable after the last coded row, and after the row above the first.
inline constexpr std::size_t kWavefrontSlack = 64;

// Decodes the rows from `y` to `y` + 7. `above` is the decoded row y − 1, or zeros for the first
// row. If there are unused bytes between these rows in memory, their contents become undefined.
void undo_wavefront(const FilteredRows& rows, std::size_t y, const std::uint8_t* above);

// Decodes a row whose filter is sub.
void undo_sub_row(const std::uint8_t* in, std::uint8_t* out, std::size_t size,
                  std::size_t pixel_bytes);

}  // namespace hotpack::codecs
