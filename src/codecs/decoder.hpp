// Decodes PNG and JPEG. Each worker has one Decoder, which keeps codec handles and buffers from
// image to image.
//
// Ownership: results are views into the Decoder's buffers, valid until its next call. Not
// thread-safe.
// Failure: code `data` with the codec's own text. A partially decoded image is never returned: a
// libjpeg warning, a missing IEND, and a wrong checksum of a critical chunk are errors.
// `max_pixels` bounds memory and is checked before any allocation.
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
  // 3: RGB (gray is replicated); 1: gray (RGB becomes (299R + 587G + 114B + 500) / 1000)
  int channels = 3;
  Depth16 depth16 = Depth16::shift;
  bool apply_orientation = false;  // EXIF orientation
  // the color behind transparent pixels; absent: alpha and tRNS are dropped
  std::optional<RgbColor> blend = {};
  std::uint64_t max_pixels = std::uint64_t{1} << 28;
  // 1, 2, 4 or 8: a JPEG is decoded at this fraction of its size, each side rounded up. PNGs ignore
  // it.
  int jpeg_denominator = 1;
};

class Decoder {
 public:
  Decoder();
  ~Decoder();
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;

  // A photo as 8-bit interleaved samples.
  // PNG as in OpenCV's imread: the palette is expanded, gray of 1/2/4 bits is scaled to 0…255,
  // gamma and color profiles are ignored, alpha and tRNS are dropped. One difference: an index
  // beyond the palette, which OpenCV shows as black, is refused, because the image has no color
  // for it.
  // JPEG: islow DCT, fancy upsampling. CMYK and YCCK become RGB with OpenCV's formula, always as
  // Adobe's inverted inks: k − ((255 − ink)·k >> 8). (Pillow divides by 255 and differs by up to
  // 2.)
  // With `blend`, a transparent pixel becomes (c·a + b·(255 − a) + 127) / 255 over the color b
  // behind it, in 8 bits. 16-bit samples and alpha become 8-bit first, as `depth16` says, after
  // their tRNS color was compared at full depth. A malformed tRNS chunk is then an error. Of an
  // animated PNG, an MPO or an Ultra HDR file, the first image is decoded.
  [[nodiscard]] Result<ConstPixels> decode_image(std::span<const std::byte> file,
                                                 const ImageOptions& options);

  // A label, raw. gAMA, sRGB, iCCP, tRNS and sBIT never change a value; a palette index beyond
  // the palette is kept. JPEG is decoded too; the caller decides if lossy labels are allowed.
  // EXIF orientation is never applied. 16-bit RGB is refused.
  [[nodiscard]] Result<RawLabel> decode_label(std::span<const std::byte> file,
                                              std::uint64_t max_pixels);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::codecs
