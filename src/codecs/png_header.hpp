// Reads the chunks of a PNG file before its first pixels.
//
// Pure; thread-safe. Errors have code `data`.
#pragma once

#include <cstddef>
#include <span>

#include "codecs/image_info.hpp"
#include "hotpack/result.hpp"

namespace hotpack::codecs {

// Does what probe() does, for bytes that begin with the PNG signature; `complete` means that they
// are the whole file. Needs all chunks up to the first IDAT, however long, because they describe
// EXIF, transparency, a color profile and an animation. Checks the checksum of IHDR, so that a
// damaged header never yields a size. Uses the first eXIf chunk with a correct checksum. An eXIf
// chunk after the pixels is ignored, although PNG allows it (few programs write it; OpenCV applies
// it).
[[nodiscard]] Result<Probe> probe_png(std::span<const std::byte> bytes, bool complete);

}  // namespace hotpack::codecs
