// Unusual but accepted things, counted over a run. A plain value.
#pragma once

#include <cstdint>

namespace hotpack::pipeline {

struct Remarks {
  std::uint64_t label_resized = 0;    // image and label of different sizes, each brought to the target
  std::uint64_t unknown_samples = 0;  // labels with unknown values that the policy settled
  std::uint64_t unknown_pixels = 0;
  std::uint64_t nearest_pixels = 0;   // that took the class of the nearest color
  std::uint64_t beyond_palette = 0;   // palette labels with an index beyond the palette
  std::uint64_t channels_differ = 0;  // binary masks whose channels differ
  std::uint64_t alpha_varies = 0;     // labels whose alpha is not constant
  std::uint64_t rotated = 0;          // images turned by their EXIF orientation
  std::uint64_t left_as_stored = 0;   // images that their EXIF orientation would turn, and whose labels were drawn before

  void add(const Remarks& other) {
    label_resized += other.label_resized;
    unknown_samples += other.unknown_samples;
    unknown_pixels += other.unknown_pixels;
    nearest_pixels += other.nearest_pixels;
    beyond_palette += other.beyond_palette;
    channels_differ += other.channels_differ;
    alpha_varies += other.alpha_varies;
    rotated += other.rotated;
    left_as_stored += other.left_as_stored;
  }
};

}  // namespace hotpack::pipeline
