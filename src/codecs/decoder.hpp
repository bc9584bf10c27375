// PNG and JPEG bytes to pixels. One Decoder a worker: it keeps codec handles and buffers from picture to picture.
//
// Ownership: pictures returned are views into the Decoder's buffers, valid until its next call. Not thread-safe.
// Failure: code `data` with the codec's own words. Nothing is ever returned from a partially decoded picture: a libjpeg warning, a
// missing IEND, a wrong checksum in critical chunks are errors. Memory is bounded by `max_pixels`, checked before any allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/picture.hpp"
#include "base/raw_label.hpp"
#include "codecs/picture_info.hpp"
#include "hotpack/result.hpp"

namespace hotpack::codecs {

enum class Depth16 { shift, scale };  // 16-bit samples to 8: v >> 8, or (v * 255 + 32767) / 65535

struct ImageOptions {
  int channels = 3;  // 3: RGB (gray is replicated); 1: gray (RGB becomes (299R + 587G + 114B + 500) / 1000)
  Depth16 depth16 = Depth16::shift;
  bool apply_orientation = false;  // EXIF orientation of JPEGs
  std::uint64_t max_pixels = std::uint64_t{1} << 28;
};

class Decoder {
 public:
  Decoder();
  ~Decoder();
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;

  // A photo as 8-bit interleaved samples. PNG: palette expanded, gray of 1/2/4 bits scaled to 0…255, alpha and tRNS dropped, gamma and
  // colour profiles ignored, as OpenCV's imread does; but an index beyond the palette, which OpenCV shows as black, is refused: the
  // picture has no colour for it. JPEG: islow DCT, fancy upsampling. CMYK and YCCK JPEG are refused.
  [[nodiscard]] Result<ConstPicture> decode_image(std::span<const std::byte> file, const ImageOptions& options);

  // A label, raw. gAMA, sRGB, iCCP, tRNS, sBIT never alter a value; a palette index beyond the palette is kept. JPEG is decoded too (the
  // caller decides whether lossy labels are allowed). EXIF orientation is never applied. 16-bit RGB is refused.
  [[nodiscard]] Result<RawLabel> decode_label(std::span<const std::byte> file, std::uint64_t max_pixels);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::codecs
