// Augmentation: random flips and crops, applied to image and label alike. Off by default.
//
// The flips and the crop of a sample depend only on seed, epoch and the sample's number, and are
// computed with integers. They do not depend on threads, ranks or restarts. ORDER.md (in the
// source: src/loader/ORDER.md) has the formulas of the random choice and of the resampled pixels.
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

/// Cuts a window of `size` pixels out of the record. If the window is longer than the record along
/// an axis, it starts at the record's left or upper edge, and the pixels beyond the record are
/// black in images and ignored in labels.
struct Crop {
  PixelSize size;
  bool random = true;  ///< false: centered; of an odd rest, one pixel more is cut at the end
  bool operator==(const Crop&) const = default;
};

/// Cuts a window of random area and aspect ratio out of the record and resamples it to `size`:
/// images by linear interpolation in fixed-point arithmetic, labels to the nearest pixel.
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
  /// At most one of `crop` and `resized_crop` may be set. They have initializers so that `{.crop =
  /// …}` compiles without warnings.
  std::optional<Crop> crop = {};
  std::optional<ResizedCrop> resized_crop = {};
  bool operator==(const Augment&) const = default;
};

/// What augmentation chose for one sample: the window to cut out, in pixels of the record, and the
/// flips to apply after the window has been cut and resampled.
struct SampleCrop {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t width = 0;
  std::int32_t height = 0;
  bool flip_horizontal = false;
  bool flip_vertical = false;
  bool operator==(const SampleCrop&) const = default;
};

/// Returns an error of code `usage` for a probability, area or ratio outside its range, for an
/// empty size, and if both `crop` and `resized_crop` are set.
[[nodiscard]] Status check_augment(const Augment& augment);

}  // namespace hotpack
