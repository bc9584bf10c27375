// Image resampling. The only source that uses OpenCV (core + imgproc) is resample.cpp; a faster path can replace it there.
//
// A Resampler belongs to one worker and reuses its buffers; not thread-safe. Results equal OpenCV 4.6's cv::resize to the bit
// (linear: INTER_LINEAR, area: INTER_AREA, nearest: INTER_NEAREST); a linked library that does not reproduce them is recorded by
// `resize_engine()`. Triangle, cubic and lanczos are this room's own, whatever library is linked: they equal BILINEAR, BICUBIC and LANCZOS
// of Pillow 12.1 and older to the bit (antialias.hpp). The first Resampler turns OpenCV's own threads off for the process: parallelism is
// `pack`'s.
#pragma once

#include <memory>
#include <string>

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "base/words.hpp"
#include "hotpack/result.hpp"

namespace hotpack::geometry {

// True for triangle, cubic and lanczos: no library decides their result, so it needs no engine token.
[[nodiscard]] bool is_antialiased(ImageFilter filter);
// `automatic` is area where both axes shrink, else linear.
[[nodiscard]] ImageFilter resolve_filter(ImageFilter filter, Extent source, Extent target);

class Resampler {
 public:
  Resampler();
  ~Resampler();
  Resampler(Resampler&&) noexcept;
  Resampler& operator=(Resampler&&) noexcept;

  // Fills `record` (8-bit, 1 or 3 channels, interleaved) from `source` (as many channels): the source is resampled to
  // region.width × region.height (copied when the size is the same), placed at region.x, region.y, clipped to the record; the rest becomes
  // `pad_color` (a value per channel). Source and record do not overlap; sizes are at least 1.
  // No allocation once buffers have grown. With OpenCV's filters a region that reaches beyond the record is resampled whole into a buffer
  // first; one of more pixels than 2^28 and than the source has (`cover` of a very long image) fails with code `data`. The antialiased
  // filters compute what is seen only. Fails with code `internal` when OpenCV throws or memory ends.
  [[nodiscard]] Status place(ConstPixels source, Region region, ImageFilter filter, const std::uint8_t* pad_color, MutablePixels record);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The linked library and its version, for example "opencv-4.6.0".
[[nodiscard]] std::string resize_library();

// Runs the self-test once per process: resamples small fixed images with every filter and compares with stored hashes of OpenCV 4.6's
// results. Empty when they agree, else a token such as "resize:opencv-4.10.0" for the schema's `engines`. Thread-safe.
[[nodiscard]] std::string resize_engine();

}  // namespace hotpack::geometry
