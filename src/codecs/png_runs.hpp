// Undoes PNG's Paeth filter in rows that are mostly runs of one color.
//
// Pure function; thread-safe. It never fails.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hotpack::codecs {

// As undo_filter() for filter 4. Fast where `in` is zero; otherwise slow.
void undo_paeth_runs(const std::uint8_t* in, const std::uint8_t* above, std::uint8_t* out,
                     std::size_t size, std::size_t pixel_bytes);

}  // namespace hotpack::codecs
