// Estimates the memory that decoding takes, from the header of a file.
//
// Pure functions; thread-safe; they never fail.
#pragma once

#include <cstdint>

#include "codecs/decoder.hpp"

namespace hotpack::codecs {

// Returns about the most bytes that Decoder::decode_image() takes for a file of so many bytes,
// including the result and the buffers that the Decoder keeps, but not the file itself.
[[nodiscard]] std::uint64_t image_memory(std::uint64_t file_bytes, const ImageInfo& info,
                                         const ImageOptions& options);

// The same for Decoder::decode_label().
[[nodiscard]] std::uint64_t label_memory(std::uint64_t file_bytes, const ImageInfo& info);

}  // namespace hotpack::codecs
