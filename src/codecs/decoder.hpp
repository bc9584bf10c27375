// PNG and JPEG bytes to pixels. One Decoder a worker: it keeps codec handles and buffers from image to image.
//
// Ownership: images returned are views into the Decoder's buffers, valid until its next call. Not thread-safe.
// Failure: code `data` with the codec's own words. Nothing is ever returned from a partially decoded image: a libjpeg warning, a
// missing IEND, a wrong checksum in critical chunks are errors. Memory is bounded by `max_pixels`, checked before any allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/pixels.hpp"
#include "base/raw_label.hpp"
#include "base/words.hpp"
#include "codecs/image_info.hpp"
#include "hotpack/result.hpp"

namespace hotpack::codecs {

struct ImageOptions {
  int channels = 3;  // 3: RGB (gray is replicated); 1: gray (RGB becomes (299R + 587G + 114B + 500) / 1000)
  Depth16 depth16 = Depth16::shift;
  bool apply_orientation = false;      // EXIF orientation
  std::optional<RgbColor> blend = {};  // color behind transparent pixels; absent: alpha and tRNS are dropped
  std::uint64_t max_pixels = std::uint64_t{1} << 28;
};

class Decoder {
 public:
  Decoder();
  ~Decoder();
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;

  // A photo as 8-bit interleaved samples. PNG: palette expanded, gray of 1/2/4 bits scaled to 0…255, gamma and color profiles ignored,
  // alpha and tRNS dropped, as OpenCV's imread does; but an index beyond the palette, which OpenCV shows as black, is refused: the
  // image has no color for it. JPEG: islow DCT, fancy upsampling. CMYK and YCCK become RGB by OpenCV's formula, as Adobe's inverted
  // inks whatever the file says: k − ((255 − ink)·k >> 8). (Pillow divides by 255, and differs by up to 2.)
  // With `blend`, a transparent pixel becomes (c·a + b·(255 − a) + 127) / 255 over the color b behind it, in 8 bits; 16-bit samples and
  // alpha are first made 8-bit as `depth16` says, after their tRNS color was compared at full depth. A tRNS chunk that cannot be
  // understood is then an error. Of an animated PNG, an MPO or an Ultra HDR file the first image is read.
  [[nodiscard]] Result<ConstPixels> decode_image(std::span<const std::byte> file, const ImageOptions& options);

  // A label, raw. gAMA, sRGB, iCCP, tRNS, sBIT never alter a value; a palette index beyond the palette is kept. JPEG is decoded too (the
  // caller decides whether lossy labels are allowed). EXIF orientation is never applied. 16-bit RGB is refused.
  [[nodiscard]] Result<RawLabel> decode_label(std::span<const std::byte> file, std::uint64_t max_pixels);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::codecs
