// Encodes pixels as a PNG file in memory, for `extract` and `preview`.
//
// Pure; thread-safe. Errors have code `internal` (bad arguments), or `io` where memory is lacking.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/pixels.hpp"
#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::codecs {

// 8-bit gray (1 channel), RGB (3 channels) or RGBA (4 channels).
[[nodiscard]] Result<std::vector<std::byte>> encode_png(ConstPixels image);
// 8-bit gray of ids: smaller and faster than as a photo.
[[nodiscard]] Result<std::vector<std::byte>> encode_png_ids(ConstPixels image);
// 16-bit gray.
[[nodiscard]] Result<std::vector<std::byte>> encode_png16(ConstIds image);
// 8-bit palette; indices in a 1-channel image, at most 256 colors.
[[nodiscard]] Result<std::vector<std::byte>> encode_png_palette(ConstPixels indices,
                                                                std::span<const RgbColor> palette);

}  // namespace hotpack::codecs
