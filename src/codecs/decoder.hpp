// Decodes PNG and JPEG. Each worker has one Decoder, which keeps the codecs' state and its buffers
// from image to image.
//
// Ownership: results are views into the Decoder's buffers, valid until its next call. Not
// thread-safe. Failure: code `data` with the codec's own text; `io` if memory is lacking. A
// partially decoded image is never returned: a warning of libjpeg about lost pixels, a missing
// IEND, and a wrong checksum of a critical chunk are errors. `max_pixels` limits the memory; it is
// checked before any allocation.
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
#include "codecs/jpeg_flaw.hpp"
#include "hotpack/result.hpp"

namespace hotpack::codecs {

struct ImageOptions {
  // 3: RGB (a gray image gets three equal channels); 1: gray (RGB becomes (299R + 587G + 114B +
  // 500) / 1000)
  int channels = 3;
  Depth16 depth16 = Depth16::shift;
  bool apply_orientation = false;  // true: turns the image as its EXIF orientation says
  // the color behind transparent pixels; if absent, alpha and tRNS are ignored
  std::optional<RgbColor> blend = {};
  std::uint64_t max_pixels = std::uint64_t{1} << 28;
  // 1, 2, 4 or 8: a JPEG is decoded at half (2), a quarter or an eighth of its width and height,
  // rounded up. PNGs ignore this.
  int jpeg_denominator = 1;
  // Accepts a JPEG with faults that most programs overlook, if all its rows can be decoded: stray
  // bytes between segments, scans with parameters of another coding process, and an unknown Adobe
  // transform. Always accepted are stray bytes before the end marker and an unknown JFIF revision.
  bool lenient = false;
};

class Decoder {
 public:
  Decoder();
  ~Decoder();
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;

  // Decodes a photo to interleaved channels of 8 bits.
  //
  // PNG: as OpenCV's imread does. The palette is expanded; gray of 1, 2 or 4 bits is scaled to
  // 0…255; gamma, color profiles, alpha and tRNS are ignored. There is one difference: OpenCV
  // decodes an index beyond the palette as black; here it is an error, because the image has no
  // color for it.
  //
  // JPEG: accurate integer DCT ("islow"), fancy upsampling. CMYK and YCCK become RGB with OpenCV's
  // formula, which treats them as Adobe's inverted inks: k − ((255 − ink)·k >> 8). (Pillow divides
  // by 255, and its result differs by up to 2.)
  //
  // With `blend`, transparent pixels are blended with the color b of the option: color c with alpha
  // a becomes (c·a + b·(255 − a) + 127) / 255, in 8 bits. 16-bit colors and alpha are first reduced
  // to 8 bits as `depth16` says; tRNS colors are compared before that, with all bits. With `blend`,
  // a malformed tRNS chunk is an error. Of an animated PNG, an MPO or an Ultra HDR file, the first
  // image is decoded.
  [[nodiscard]] Result<ConstPixels> decode_image(std::span<const std::byte> file,
                                                 const ImageOptions& options);

  // Decodes a label to its raw values. gAMA, sRGB, iCCP, tRNS and sBIT never change a value; a
  // palette index beyond the palette is kept. JPEG is decoded too; the caller decides if lossy
  // labels are allowed. EXIF orientation is never applied. A label of more than
  // `max_pixels` pixels is an error.
  [[nodiscard]] Result<RawLabel> decode_label(std::span<const std::byte> file,
                                              std::uint64_t max_pixels, bool lenient = false);

  // The flaw of the file that was decoded last. Undefined if decoding failed.
  [[nodiscard]] const JpegFlaw& flaw() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::codecs
