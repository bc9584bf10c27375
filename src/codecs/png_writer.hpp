// Encodes pixels as a PNG file in memory, for `extract` and `preview`.
//
// Pure; thread-safe. Errors have code `internal` (bad arguments), or `io` if memory is lacking.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/pixels.hpp"
#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::codecs {

// Encodes 8-bit gray (1 channel), RGB (3 channels) or RGBA (4 channels).
[[nodiscard]] Result<std::vector<std::byte>> encode_png(ConstPixels image);
// Encodes ids as 8-bit gray. The result is smaller, and made faster, than with encode_png().
[[nodiscard]] Result<std::vector<std::byte>> encode_png_ids(ConstPixels image);
// Encodes ids as 16-bit gray.
[[nodiscard]] Result<std::vector<std::byte>> encode_png16(ConstIds image);
// Encodes an image of palette indices (1 channel) with a palette of at most 256 colors.
[[nodiscard]] Result<std::vector<std::byte>> encode_png_palette(ConstPixels indices,
                                                                std::span<const RgbColor> palette);

}  // namespace hotpack::codecs
