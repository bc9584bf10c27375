// Image resampling. Only resample.cpp uses OpenCV (core and imgproc), and only for nearest.
//
// Each worker has its own Resampler, which reuses its buffers; not thread-safe. Results equal
// OpenCV 4.6's cv::resize bit for bit (linear: INTER_LINEAR, area: INTER_AREA, nearest:
// INTER_NEAREST). This room itself implements linear (linear.hpp) and area (area.hpp, blocks.hpp).
// If they, or the linked OpenCV, give other results on this machine, resize_engine() says so. This
// room also implements triangle, cubic and lanczos, which equal BILINEAR, BICUBIC and LANCZOS of
// Pillow bit for bit (antialias.hpp). The first Resampler turns OpenCV's own threads off for the
// process, because `pack` parallelizes.
#pragma once

#include <memory>
#include <string>

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "base/words.hpp"
#include "hotpack/result.hpp"

namespace hotpack::geometry {

// Returns true for triangle, cubic and lanczos, with either order of passes. Schemas need no token
// of resize_engine() for these filters, because no library determines their result.
[[nodiscard]] bool is_antialiased(ImageFilter filter);
// Returns the filter to use: `automatic` means area if both axes shrink, otherwise linear.
[[nodiscard]] ImageFilter resolve_filter(ImageFilter filter, Extent source, Extent target);

class Resampler {
 public:
  Resampler();
  ~Resampler();
  Resampler(Resampler&&) noexcept;
  Resampler& operator=(Resampler&&) noexcept;

  // Fills `record`: `source` is resampled to the size of `region` (copied if the size is equal),
  // placed at (region.x, region.y), and clipped. The rest of the record becomes `pad_color`, which
  // has one value per channel. Preconditions: both images have 8 bits and the same number of
  // interleaved channels, 1 or 3; they do not overlap; all sizes are at least 1.
  //
  // Does not allocate once buffers have grown. Only the part of the region inside the record is
  // computed, except with nearest: if the region extends beyond the record, OpenCV first resamples
  // the whole region into a buffer. Fails with code `data` if this buffer would have more than 2^28
  // pixels and more pixels than the source, as `cover` of a very long image does; with code
  // `internal` if OpenCV throws; and with code `io` if memory is lacking.
  [[nodiscard]] Status place(ConstPixels source, Region region, ImageFilter filter,
                             const std::uint8_t* pad_color, MutablePixels record);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Returns the linked library and its version, for example "opencv-4.6.0".
[[nodiscard]] std::string resize_library();

// Tests whether linear, area and nearest give the results of OpenCV 4.6 on this machine. Returns ""
// if so; otherwise a token for the schema's `engines`, such as "resize:opencv-4.10.0". The test
// resamples small fixed images and compares the results with stored hashes; it runs at the first
// call in a process. Thread-safe.
[[nodiscard]] std::string resize_engine();

}  // namespace hotpack::geometry
