// Undoes PNG's row filters (section 9 of the PNG specification) for pixels of one or three bytes.
//
// Pure functions; thread-safe. On x86-64, SSE2 handles three-byte pixels; the portable path
// produces the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hotpack::codecs {

// The types of filters are none, sub, up, average and Paeth, from 0 on.
inline constexpr std::uint8_t kLastFilter = 4;

// Decodes a row `in` of `size` bytes, filtered with `filter` (≤ kLastFilter), into `out`. `above`
// is the decoded row before, or zeros for the first row. One byte more than `size` must be readable
// at `in` and at `above`. `pixel_bytes` is 1 or 3, and `size` is a multiple of it.
void undo_filter(std::uint8_t filter, const std::uint8_t* in, const std::uint8_t* above,
                 std::uint8_t* out, std::size_t size, std::size_t pixel_bytes);
void undo_filter_portable(std::uint8_t filter, const std::uint8_t* in, const std::uint8_t* above,
                          std::uint8_t* out, std::size_t size, std::size_t pixel_bytes);

}  // namespace hotpack::codecs
