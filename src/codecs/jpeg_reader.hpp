// Decodes JPEG with libjpeg: accurate integer DCT, fancy upsampling. CMYK and YCCK become RGB as in
// OpenCV (inks_to_rgb).
//
// A warning of libjpeg is an error here, because libjpeg invents pixels after it. The exceptions
// are warnings that cost no pixel, which become a JpegFlaw. A file with more scans than
// most_scans() is an error too: a scan of a few bytes may make the decoder visit every pixel, so
// thousands of scans over a large image would take hours.
//
// Ownership: keeps one decompressor from image to image; results are views into `buffers`. Not
// thread-safe, not movable. Failure: code `data` with libjpeg's text; `io` if memory is lacking;
// std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/raw_label.hpp"
#include "codecs/image_info.hpp"
#include "codecs/jpeg_flaw.hpp"
#include "codecs/pixel_buffers.hpp"
#include "hotpack/result.hpp"

namespace hotpack::codecs {

inline constexpr int kMaxScans = 500;   // the most scans of any image
inline constexpr int kUsualScans = 32;  // allowed for every image; most programs write 10, some 20
// beyond kUsualScans: the most pixels times scans
inline constexpr std::uint64_t kMaxScanWork = std::uint64_t{1} << 28;

// Returns the most scans for an image of so many pixels.
[[nodiscard]] constexpr int most_scans(std::uint64_t pixels) {
  const std::uint64_t affordable = kMaxScanWork / (pixels == 0 ? 1 : pixels);
  if (affordable >= kMaxScans) return kMaxScans;
  return affordable > kUsualScans ? static_cast<int>(affordable) : kUsualScans;
}

struct JpegImageForm {
  int channels = 3;      // 3 (RGB) or 1 (gray), as in ImageOptions
  int denominator = 1;   // 1, 2, 4 or 8: the fraction of the image's size to decode
  bool lenient = false;  // as in ImageOptions
};

class JpegReader {
 public:
  JpegReader();
  ~JpegReader();

  // `info` is the result of probe() for `file`; the caller has checked the pixel limit.
  [[nodiscard]] Result<ConstPixels> read_image(std::span<const std::byte> file,
                                               const ImageInfo& info, JpegImageForm form,
                                               PixelBuffers& buffers);
  // Returns gray values as samples, and colors as RGB.
  [[nodiscard]] Result<RawLabel> read_label(std::span<const std::byte> file, const ImageInfo& info,
                                            bool lenient, PixelBuffers& buffers);

  // The flaw of the last file, if it was decoded.
  [[nodiscard]] const JpegFlaw& flaw() const { return flaw_; }

 private:
  class Decompressor;
  std::unique_ptr<Decompressor> decompressor_;
  JpegFlaw flaw_;
};

}  // namespace hotpack::codecs
