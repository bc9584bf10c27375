// Image resampling, with the pixels of well-known libraries.
//
// The results of linear, area and nearest equal OpenCV 4.6's cv::resize bit for bit (INTER_LINEAR:
// linear.hpp; INTER_AREA: area.hpp, blocks.hpp; INTER_NEAREST: nearest.hpp). Those of triangle,
// cubic and lanczos equal Pillow's BILINEAR, BICUBIC and LANCZOS (antialias.hpp).
//
// Each worker has its own Resampler, which reuses its buffers; not thread-safe.
#pragma once

#include <memory>
#include <string>

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "base/words.hpp"
#include "hotpack/result.hpp"

namespace hotpack::geometry {

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
  // Does not allocate once buffers have grown. Computes only the visible part of the region. Fails
  // with code `io` if memory is lacking.
  [[nodiscard]] Status place(ConstPixels source, Region region, ImageFilter filter,
                             const std::uint8_t* pad_color, MutablePixels record);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::geometry
