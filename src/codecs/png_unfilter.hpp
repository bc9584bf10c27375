// Undoes PNG's row filters of a whole image, choosing the fastest way for each row.
//
// Pure functions; thread-safe. They never fail. All ways give the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codecs/png_wavefront.hpp"

namespace hotpack::codecs {

// Rows that compress well, as those of labels do, are mostly runs of one color.
enum class Content { varied, runs };

// Decodes all rows. `zeros` holds `rows.size` + kWavefrontSlack zeros. After the last coded row,
// kWavefrontSlack bytes must be readable.
void undo_filters(const FilteredRows& rows, std::size_t height, Content content,
                  const std::uint8_t* zeros);

}  // namespace hotpack::codecs
