// JPEG bytes to pixels with libjpeg: accurate integer DCT, fancy upsampling. CMYK and YCCK become RGB as in OpenCV (inks_to_rgb).
//
// libjpeg's warnings are errors here: after one of them some pixels are invented. So is a file of more scans than most_scans(), for each of
// them may visit every pixel for a few bytes: thousands of scans over a large picture keep a decoder busy for hours.
//
// Ownership: keeps one decompressor from picture to picture; results are views into `buffers`. Not thread-safe, not movable.
// Failure: code `data` with libjpeg's words; std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/raw_label.hpp"
#include "codecs/picture_info.hpp"
#include "codecs/pixel_buffers.hpp"
#include "hotpack/result.hpp"

namespace hotpack::codecs {

inline constexpr int kMaxScans = 500;                                  // of any picture
inline constexpr int kUsualScans = 32;                                 // which every picture may have; programs make 10, careful ones 20
inline constexpr std::uint64_t kMaxScanWork = std::uint64_t{1} << 28;  // pixels times scans beyond that

// The scans that a picture of so many pixels may have.
[[nodiscard]] constexpr int most_scans(std::uint64_t pixels) {
  const std::uint64_t affordable = kMaxScanWork / (pixels == 0 ? 1 : pixels);
  if (affordable >= kMaxScans) return kMaxScans;
  return affordable > kUsualScans ? static_cast<int>(affordable) : kUsualScans;
}

class JpegReader {
 public:
  JpegReader();
  ~JpegReader();

  // `info` is what probe() said of `file`; the pixel limit has been checked. `channels` is 3 (RGB) or 1 (gray), as in ImageOptions.
  [[nodiscard]] Result<ConstPicture> read_image(std::span<const std::byte> file, const PictureInfo& info, int channels,
                                                PixelBuffers& buffers);
  // Gray as samples, colours as RGB.
  [[nodiscard]] Result<RawLabel> read_label(std::span<const std::byte> file, const PictureInfo& info, PixelBuffers& buffers);

 private:
  class Decompressor;
  std::unique_ptr<Decompressor> decompressor_;
};

}  // namespace hotpack::codecs
