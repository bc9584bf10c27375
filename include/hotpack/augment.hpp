// Augmentation: random flips and crops, applied to image and label alike. Off by default.
//
// The choice for a sample depends only on seed, epoch and the sample's number, in integer
// arithmetic. It does not depend on threads, ranks or restarts. ORDER.md has the formulas, also
// for pixels (in the source: src/loader/ORDER.md).
// Plain values and pure functions; thread-safe. Failure: code `usage`, with the option's name.
#pragma once

#include <cstdint>
#include <optional>

#include "hotpack/result.hpp"

namespace hotpack {

struct PixelSize {
  std::int64_t width = 0;
  std::int64_t height = 0;
  bool operator==(const PixelSize&) const = default;
};

/// A window of `size` pixels of the record. If the window is longer than the record along an axis,
/// it starts at the record's left or upper edge, and the pixels beyond the record are black in
/// images and ignored in labels.
struct Crop {
  PixelSize size;
  bool random = true;  ///< false: centered; of an odd rest, one pixel more is cut at the end
  bool operator==(const Crop&) const = default;
};

/// A window of random area and aspect ratio, resampled to `size`: images linearly in fixed point,
/// labels to the nearest pixel.
struct ResizedCrop {
  PixelSize size;
  double min_area = 0.08;  ///< share of the record's area; 0 < min_area ≤ max_area ≤ 1
  double max_area = 1.0;
  /// width / height; 1/4 ≤ min_ratio ≤ max_ratio ≤ 4; 256 fixed steps on a logarithmic scale
  double min_ratio = 3.0 / 4.0;
  double max_ratio = 4.0 / 3.0;
  bool operator==(const ResizedCrop&) const = default;
};

struct Augment {
  double horizontal_flip = 0;  ///< probability 0 … 1 to exchange left and right
  double vertical_flip = 0;
  /// At most one of these two. Both have initializers, so that `{.crop = …}` compiles without
  /// warnings.
  std::optional<Crop> crop = {};
  std::optional<ResizedCrop> resized_crop = {};
  bool operator==(const Augment&) const = default;
};

/// The window of a record that one row shows, in pixels of the record. Flips come after cropping
/// and resampling.
struct SampleCrop {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t width = 0;
  std::int32_t height = 0;
  bool flip_horizontal = false;
  bool flip_vertical = false;
  bool operator==(const SampleCrop&) const = default;
};

/// Refuses probabilities, areas and ratios outside their ranges, empty sizes, and both kinds of
/// crop at once.
[[nodiscard]] Status check_augment(const Augment& augment);

}  // namespace hotpack
