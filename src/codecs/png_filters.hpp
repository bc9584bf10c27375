// Undoes PNG's row filters (section 9 of the PNG specification), one row at a time, for pixels of
// one or three bytes.
//
// Pure functions; thread-safe. They never fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace hotpack::codecs {

// The types of filters are none, sub, up, average and Paeth, from 0 on.
inline constexpr std::uint8_t kLastFilter = 4;

// PNG's Paeth predictor. Returns the one of left, above and corner (above left) that is nearest to
// left + above - corner. Of equally near ones, returns the first in this order.
[[nodiscard]] inline std::uint8_t paeth(int left, int above, int corner) {
  const int from_left = std::abs(above - corner), from_above = std::abs(left - corner),
            from_corner = std::abs(left + above - 2 * corner);
  if (from_left <= from_above && from_left <= from_corner) return static_cast<std::uint8_t>(left);
  return static_cast<std::uint8_t>(from_above <= from_corner ? above : corner);
}

// Decodes one row: `in` has `size` bytes, filtered with `filter` (≤ kLastFilter); the result goes
// to `out`. `above` is the decoded row above, or zeros for the first row. A pixel has `pixel_bytes`
// bytes, 1 or 3, which divides `size`.
void undo_filter(std::uint8_t filter, const std::uint8_t* in, const std::uint8_t* above,
                 std::uint8_t* out, std::size_t size, std::size_t pixel_bytes);

}  // namespace hotpack::codecs
