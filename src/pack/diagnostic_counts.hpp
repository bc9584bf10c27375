// Counts of inputs in a run that are unusual but accepted. Reports make notes from them. A plain
// value.
#pragma once

#include <algorithm>
#include <cstdint>

namespace hotpack::pipeline {

struct DiagnosticCounts {
  std::uint64_t label_resized = 0;    // labels of another size than their image
  std::uint64_t unknown_samples = 0;  // labels with unknown values that --unknown allows
  std::uint64_t unknown_pixels = 0;
  std::uint64_t nearest_pixels = 0;   // pixels that took the class of the nearest color
  std::uint64_t beyond_palette = 0;   // palette labels with an index beyond the palette
  std::uint64_t channels_differ = 0;  // binary masks with different channels
  std::uint64_t alpha_varies = 0;     // labels with varying alpha
  std::uint64_t rotated = 0;          // images rotated by their EXIF orientation
  std::uint64_t left_as_stored =
      0;  // images not rotated by EXIF, because their labels fit them as stored
  std::uint64_t deep_images = 0;        // images of 16 bits per sample
  std::uint64_t brightest_of_deep = 0;  // the largest value in their records, 0…255
  // JPEGs with a codecs::JpegFlaw: of a kind that is always accepted, and accepted by --lenient
  std::uint64_t flawed_jpegs = 0;
  std::uint64_t lenient_jpegs = 0;

  // Returns true if no 16-bit image uses more than 14 bits. The packed values are then at most a
  // quarter of the range, so the images look dark.
  [[nodiscard]] bool deep_images_are_dark() const {
    return deep_images > 0 && brightest_of_deep < 64;
  }

  void add(const DiagnosticCounts& other) {
    label_resized += other.label_resized;
    unknown_samples += other.unknown_samples;
    unknown_pixels += other.unknown_pixels;
    nearest_pixels += other.nearest_pixels;
    beyond_palette += other.beyond_palette;
    channels_differ += other.channels_differ;
    alpha_varies += other.alpha_varies;
    rotated += other.rotated;
    left_as_stored += other.left_as_stored;
    deep_images += other.deep_images;
    flawed_jpegs += other.flawed_jpegs;
    lenient_jpegs += other.lenient_jpegs;
    brightest_of_deep = std::max(brightest_of_deep, other.brightest_of_deep);
  }
};

}  // namespace hotpack::pipeline
