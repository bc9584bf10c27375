// The first chunk of a PNG file.
//
// Pure; thread-safe. Errors have code `data`.
#pragma once

#include <cstddef>
#include <span>

#include "codecs/picture_info.hpp"
#include "hotpack/result.hpp"

namespace hotpack::codecs {

// As probe(), for bytes that begin with the PNG signature. The chunk's checksum is checked, so a size is never taken from damage.
[[nodiscard]] Result<Probe> probe_png(std::span<const std::byte> bytes, bool complete);

}  // namespace hotpack::codecs
