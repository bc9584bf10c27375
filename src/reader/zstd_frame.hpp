// One record stored as one Zstandard frame.
//
// Pure functions over the caller's memory; thread-safe (each thread keeps a decompression context of its own). Errors have code
// `damaged` and no path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hotpack/result.hpp"

namespace hotpack::reader {

// The content size that a frame names.
[[nodiscard]] Result<std::uint64_t> frame_content_bytes(std::span<const std::byte> frame);

// Refuses anything but exactly one frame, without a dictionary, that names its content size and names `content_bytes`; and a size that so
// short a frame cannot hold, so that nobody allocates what a hostile header asks for.
[[nodiscard]] Status check_frame(std::span<const std::byte> frame, std::uint64_t content_bytes);

// Decompresses a frame that check_frame accepts for into.size().
[[nodiscard]] Status decompress_frame(std::span<const std::byte> frame, std::span<std::byte> into);

}  // namespace hotpack::reader
