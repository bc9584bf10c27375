// Augmentation that the Loader applies while it writes a batch: image and label alike, off by default.
//
// What is drawn for a sample is a function of (seed, epoch, sample number) alone, in integer arithmetic: any thread count, rank, world size
// or resume draws the same. ORDER.md gives the formulas, those of the pixels too; it is installed next to the other documents, and lies in
// src/loader of the source.
// Values and pure functions; thread-safe. Failure: code `usage`, naming the option.
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

/// A window of the record's own size of pixels. Where the record is smaller than the window along an axis, all of it is taken and the rest,
/// at the right or lower end, is filled: image black, label ignored.
struct Crop {
  PixelSize size;
  bool random = true;  ///< false: the center, the odd pixel at the end
  bool operator==(const Crop&) const = default;
};

/// A random window of random area and aspect, resampled to `size`: image linear in fixed point, label nearest.
struct ResizedCrop {
  PixelSize size;
  double min_area = 0.08;  ///< of the record's area; 0 < min_area ≤ max_area ≤ 1
  double max_area = 1.0;
  double min_ratio = 3.0 / 4.0;  ///< width / height; 1/4 ≤ min_ratio ≤ max_ratio ≤ 4, drawn from 256 fixed steps on a logarithmic scale
  double max_ratio = 4.0 / 3.0;
  bool operator==(const ResizedCrop&) const = default;
};

struct Augment {
  double horizontal_flip = 0;  ///< probability, 0 … 1: left and right are exchanged
  double vertical_flip = 0;
  std::optional<Crop> crop = {};                 ///< at most one of crop,
  std::optional<ResizedCrop> resized_crop = {};  ///< resized_crop; initialised so that `{.crop = …}` alone is warning-free
  bool operator==(const Augment&) const = default;
};

/// The window of a record that one output shows, in pixels of the record; flips come after cutting and resampling.
struct SampleCrop {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t width = 0;
  std::int32_t height = 0;
  bool flip_horizontal = false;
  bool flip_vertical = false;
  bool operator==(const SampleCrop&) const = default;
};

/// Refuses probabilities, areas and ratios outside their ranges, empty sizes, and both kinds of crop at once.
[[nodiscard]] Status check_augment(const Augment& augment);

}  // namespace hotpack
