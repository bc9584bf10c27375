// Image resampling. Only resample.cpp uses OpenCV (core + imgproc), so that a faster path can
// replace it there.
//
// Each worker has its own Resampler, which reuses its buffers; not thread-safe. Results equal
// OpenCV 4.6's cv::resize bit for bit (linear: INTER_LINEAR, area: INTER_AREA, nearest:
// INTER_NEAREST); `resize_engine()` records a linked library that does not reproduce them. This
// room implements triangle, cubic and lanczos itself: they equal BILINEAR, BICUBIC and LANCZOS of
// Pillow 12.1 and older bit for bit (antialias.hpp). The first Resampler turns OpenCV's own
// threads off for the process, because `pack` parallelizes.
#pragma once

#include <memory>
#include <string>

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "base/words.hpp"
#include "hotpack/result.hpp"

namespace hotpack::geometry {

// True for triangle, cubic and lanczos, which need no engine token because no library determines
// their result.
[[nodiscard]] bool is_antialiased(ImageFilter filter);
// `automatic` is area where both axes shrink, else linear.
[[nodiscard]] ImageFilter resolve_filter(ImageFilter filter, Extent source, Extent target);

class Resampler {
 public:
  Resampler();
  ~Resampler();
  Resampler(Resampler&&) noexcept;
  Resampler& operator=(Resampler&&) noexcept;

  // Fills `record` (8-bit, 1 or 3 channels, interleaved) from `source` (the same number of
  // channels). The source is resampled to region.width × region.height (copied if the size is
  // equal), placed at region.x, region.y, and clipped to the record. The rest becomes `pad_color`
  // (one value per channel). Source and record do not overlap; sizes are at least 1.
  // Does not allocate once buffers have grown. With OpenCV's filters, a region beyond the record
  // is first resampled whole into a buffer; if that has more than 2^28 pixels and more than the
  // source (`cover` of a very long image), it fails with code `data`. The antialiased filters
  // compute only the visible part. Fails with code `internal` if OpenCV throws or memory is
  // lacking.
  [[nodiscard]] Status place(ConstPixels source, Region region, ImageFilter filter,
                             const std::uint8_t* pad_color, MutablePixels record);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The linked library and its version, for example "opencv-4.6.0".
[[nodiscard]] std::string resize_library();

// Runs the self-test once per process: resamples small fixed images with every filter and
// compares them with stored hashes of OpenCV 4.6's results. Empty if they agree, else a token
// such as "resize:opencv-4.10.0" for the schema's `engines`. Thread-safe.
[[nodiscard]] std::string resize_engine();

}  // namespace hotpack::geometry
