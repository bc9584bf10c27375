// The chunks of a PNG file before its first pixels.
//
// Pure; thread-safe. Errors have code `data`.
#pragma once

#include <cstddef>
#include <span>

#include "codecs/image_info.hpp"
#include "hotpack/result.hpp"

namespace hotpack::codecs {

// As probe(), for bytes that begin with the PNG signature. All chunks up to the first IDAT are needed, of any length: they describe EXIF,
// transparency, a color profile and an animation. IHDR's checksum is checked, so a size is never taken from damage. The EXIF is that of
// the first eXIf chunk whose checksum holds; one that stands behind the pixels, where PNG allows it and hardly any program puts it, is not
// looked for (OpenCV applies that too).
[[nodiscard]] Result<Probe> probe_png(std::span<const std::byte> bytes, bool complete);

}  // namespace hotpack::codecs
