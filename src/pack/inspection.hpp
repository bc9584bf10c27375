// Statistics of the files of a sample, for `check`. The SampleWorker collects them while it decodes
// the sample.
//
// Plain values of bounded size (a few ten kilobytes per label); not thread-safe. Results arrive in
// the order of samples, so reports do not depend on threads.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/pixels.hpp"
#include "base/raw_label.hpp"
#include "codecs/image_info.hpp"
#include "codecs/jpeg_flaw.hpp"
#include "labels/label_decoder.hpp"
#include "pack/brightness_grid.hpp"
#include "pack/diagnostic_counts.hpp"
#include "pack/image_defects.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// A stored value of a label file: a gray sample, a palette index, or a color 0xRRGGBB.
using RawValue = std::uint32_t;

struct ValueCount {
  RawValue value = 0;
  std::uint64_t pixels = 0;
};

// The number of a sample in the list of its split.
struct SamplePlace {
  std::uint32_t split = 0;
  std::uint32_t sample = 0;
  auto operator<=>(const SamplePlace&) const = default;
};

// Statistics of the pixels of one label.
struct LabelInspection {
  // Counting stops after kMostKinds different values. The kMostValues most frequent ones are kept.
  static constexpr std::size_t kMostKinds = 4096;
  static constexpr std::size_t kMostValues = 256;

  // The label as stored in its file.
  int width = 0, height = 0;
  int bit_depth = 8;
  bool holds_colors = false;  // values are colors, not gray values or indices
  bool lossy = false;
  bool is_palette = false;
  std::vector<RgbColor> palette;
  std::uint32_t kinds = 0;         // different values
  std::vector<ValueCount> values;  // ascending by value
  std::uint64_t third_pixels =
      0;  // pixels of the third most frequent value; 0 if there are only two

  // Statistics of runs of equal pixels in its rows.
  std::uint64_t steps = 0;        // places where one run ends and the next begins
  std::uint64_t flat_pixels = 0;  // in runs of four pixels and more
  // The number of ramps: runs of one or two pixels whose value lies between those of the runs on
  // both sides. Resampling leaves ramps along every border; drawing does not.
  std::uint64_t ramps = 0;
  std::uint64_t commonest_ramp = 0;  // the number of ramps with the most frequent value
  std::uint32_t ramp_kinds = 0;      // different values of ramps, at most 16
  PixelPlace first_ramp;
  // The number of blocks of eight pixels in a row that contain a step: first for the blocks of a
  // JPEG, then for blocks that are shifted by half a block.
  std::uint64_t uneven_blocks = 0;
  std::uint64_t uneven_between_blocks = 0;

  // Statistics of classes; empty if the label was refused because of its form.
  bool decoded = false;
  std::vector<ValueCount> classes;  // classes that occur, by ascending id
  std::uint64_t ids_hash = 0;       // XXH3-64 of width, height and the ids of all pixels
  std::uint64_t lone_pixels = 0;    // pixels inside with another class than all eight neighbors
  std::uint64_t border_ones = 0;    // pixels of class 1 in the first and last row and column
  std::uint64_t ignored =
      0;  // pixels without a class, including unknown values that --unknown ignores
  std::vector<labels::UnknownValue> unknown;
  std::uint64_t unknown_pixels = 0;
  std::uint64_t unknown_kinds = 0;

  [[nodiscard]] std::uint64_t pixels() const {
    return static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
  }
};

struct FlawedFile {
  std::string path;
  codecs::JpegFlaw flaw;
};

struct SampleInspection {
  std::array<std::uint64_t, 2>
      source_hash{};  // XXH3-64 of image and label file; also set if the sample has a problem
  std::optional<codecs::ImageInfo> image;
  std::optional<codecs::ImageInfo> label;
  DiagnosticCounts counts;                   // of the image; zero if it cannot be decoded
  std::vector<FlawedFile> flawed;            // JPEGs with a flaw that were decoded
  ImageDefects defects;                      // of the image; none if it cannot be decoded
  std::optional<BrightnessGrid> brightness;  // of the image; absent if it cannot be decoded
  // One entry for the label, or one per mask, in order; then one for the label they were merged to.
  std::vector<LabelInspection> label_pixels;
  std::optional<Problem>
      label_problem;  // a problem of the label, if the sample is refused because of its image
};

// Appends the statistics of a decoded label to `inspection.label_pixels`, even if the label is
// refused later. `ids` has the class ids of the pixels; its data is null if LabelDecoder::decode()
// failed.
void inspect_label(const RawLabel& label, const labels::DecodeReport& report, ConstIds ids,
                   SampleInspection& inspection);

}  // namespace hotpack::pipeline
