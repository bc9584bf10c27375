// Undoes PNG's row filters of a whole image. Chooses the fastest of several methods for each row.
//
// Pure functions; thread-safe. They never fail. All methods give the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codecs/png_wavefront.hpp"

namespace hotpack::codecs {

// Rows that compress well, as those of labels do, are mostly runs of one color.
enum class Content { varied, runs };

// Decodes all `height` rows. Preconditions: `zeros` points to `rows.size` + kWavefrontSlack zeros;
// behind the last coded row, kWavefrontSlack more bytes can be read.
void undo_filters(const FilteredRows& rows, std::size_t height, Content content,
                  const std::uint8_t* zeros);

}  // namespace hotpack::codecs
