// Decodes PNG files: photos as OpenCV does, and the values of labels as they are stored.
//
// Ownership: results are views into `buffers`. Thread-safe for different buffers. Failure: code
// `data`; `io` if memory is lacking; std::bad_alloc.
#pragma once

#include <cstddef>
#include <span>

#include "base/raw_label.hpp"
#include "codecs/decoder.hpp"
#include "codecs/image_info.hpp"
#include "codecs/pixel_buffers.hpp"
#include "hotpack/result.hpp"

namespace hotpack::codecs {

// `info` is the result of probe() for `file`; the caller has checked the pixel limit.
[[nodiscard]] Result<ConstPixels> read_png_image(std::span<const std::byte> file,
                                                 const ImageInfo& info, const ImageOptions& options,
                                                 PixelBuffers& buffers);
[[nodiscard]] Result<RawLabel> read_png_label(std::span<const std::byte> file,
                                              const ImageInfo& info, PixelBuffers& buffers);

}  // namespace hotpack::codecs
