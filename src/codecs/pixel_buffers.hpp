// The memory that a decoder keeps from image to image. It has the size that the largest image so
// far needed.
//
// Ownership: the buffers own their bytes; views are valid until the same buffer is used again. Not
// thread-safe. Failure: std::bad_alloc, caught by Decoder.
#pragma once

#include "base/pixels.hpp"
#include "codecs/png_plain.hpp"

namespace hotpack::codecs {

struct PixelBuffers {
  Buffer pixels;    // the result
  Buffer raw;       // the codec's rows, if they need a conversion to the result
  Buffer oriented;  // the result, if it was turned as EXIF says
  PlainPng plain;   // the fast path for plain PNGs, with its own buffers

  [[nodiscard]] MutablePixels image(int width, int height, int channels) {
    return view<std::uint8_t>(width, height, channels);
  }
  [[nodiscard]] MutableIds ids(int width, int height, int channels = 1) {
    return view<std::uint16_t>(width, height, channels);
  }

 private:
  template <class Sample>
  PixelView<Sample> view(int width, int height, int channels) {
    const std::size_t row_samples =
        static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
    Sample* data = pixels.reserve_as<Sample>(row_samples * static_cast<std::size_t>(height));
    return {data, width, height, channels, row_samples * sizeof(Sample)};
  }
};

}  // namespace hotpack::codecs
