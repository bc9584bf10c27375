// Undoes PNG's row filters (section 9 of the PNG specification) for pixels of one or three bytes.
//
// Pure functions; thread-safe. On x86-64, SSE2 handles three-byte pixels; the portable path
// produces the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hotpack::codecs {

// Filter types of a row: none, sub, up, average, Paeth.
inline constexpr std::uint8_t kLastFilter = 4;

// Decodes the row of `size` bytes `in`, filtered with `filter` (≤ kLastFilter), into `out`.
// `above` is the row before, all zero for the first row. One byte beyond `size` must be readable
// in `in` and `above`. `pixel_bytes` is 1 or 3 and divides `size`.
void undo_filter(std::uint8_t filter, const std::uint8_t* in, const std::uint8_t* above,
                 std::uint8_t* out, std::size_t size, std::size_t pixel_bytes);
void undo_filter_portable(std::uint8_t filter, const std::uint8_t* in, const std::uint8_t* above,
                          std::uint8_t* out, std::size_t size, std::size_t pixel_bytes);

}  // namespace hotpack::codecs
