// PNG's row filters undone: the difference coding of section 9 of the PNG specification, for pixels of one or three bytes.
//
// Pure functions; thread-safe. SSE2 does three-byte pixels where the processor is x86-64; the portable path gives the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hotpack::codecs {

// Filter types of a row: none, sub, up, average, Paeth.
inline constexpr std::uint8_t kLastFilter = 4;

// `out` is the row of `size` bytes that `in` codes with `filter` (≤ kLastFilter); `above` is the row before it, all zero for the first.
// `in` and `above` must be readable for one byte more than `size`. `pixel_bytes` is 1 or 3 and divides `size`.
void undo_filter(std::uint8_t filter, const std::uint8_t* in, const std::uint8_t* above, std::uint8_t* out, std::size_t size,
                 std::size_t pixel_bytes);
void undo_filter_portable(std::uint8_t filter, const std::uint8_t* in, const std::uint8_t* above, std::uint8_t* out, std::size_t size,
                          std::size_t pixel_bytes);

}  // namespace hotpack::codecs
