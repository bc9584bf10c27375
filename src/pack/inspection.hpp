// What `check` wants to know about a sample beyond whether it can be packed. Filled by the SampleWorker that decodes it anyway.
//
// Plain values of bounded size (at most some ten kilobytes per label); not thread-safe. Delivered in order with the sample's outcome, so
// reports do not depend on threads.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/pixels.hpp"
#include "base/raw_label.hpp"
#include "codecs/image_info.hpp"
#include "labels/label_decoder.hpp"
#include "pack/coarse_look.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// A value as it stands in a label file: a gray sample, a palette index, or a color 0xRRGGBB.
using RawValue = std::uint32_t;

struct ValueCount {
  RawValue value = 0;
  std::uint64_t pixels = 0;
};

// A sample, by its number in the list of its split.
struct SamplePlace {
  std::uint32_t split = 0;
  std::uint32_t sample = 0;
  auto operator<=>(const SamplePlace&) const = default;
};

// The pixels of one label in numbers.
struct LabelInspection {
  // At most so many different values are counted, then none any more; so many of the most frequent are kept.
  static constexpr std::size_t kMostKinds = 4096;
  static constexpr std::size_t kMostValues = 256;

  // As the file stores it.
  int width = 0, height = 0;
  int bit_depth = 8;
  bool holds_colors = false;  // values are colors, not samples
  bool lossy = false;
  bool is_palette = false;
  std::vector<RgbColor> palette;
  std::uint32_t kinds = 0;         // different values
  std::vector<ValueCount> values;  // ascending by value
  std::uint64_t third_pixels = 0;  // of the value that is third in frequency; 0 where there are two or fewer

  // Its rows as runs of equal pixels.
  std::uint64_t steps = 0;        // places where one run ends and the next begins
  std::uint64_t flat_pixels = 0;  // in runs of four pixels and more
  // Runs of one or two pixels whose value lies between the values on both sides: resampling leaves them along every border, drawing does
  // not.
  std::uint64_t ramps = 0;
  std::uint64_t commonest_ramp = 0;  // ramps of one and the same value, the most there are; counted like ramp_kinds
  std::uint32_t ramp_kinds = 0;      // different values of ramps, until there are 16
  PixelPlace first_ramp;
  // Stretches of eight pixels that hold a step: those of a JPEG's blocks, and those half a block further on.
  std::uint64_t uneven_blocks = 0;
  std::uint64_t uneven_between_blocks = 0;

  // As classes; nothing where the label was refused for its form.
  bool decoded = false;
  std::vector<ValueCount> classes;  // by class id, ascending; those that occur
  std::uint64_t ids_hash = 0;       // XXH3-64 of width, height and the ids of all pixels
  std::uint64_t ignored = 0;        // pixels without a class, unknown ones among them if they became no class
  std::vector<labels::UnknownValue> unknown;
  std::uint64_t unknown_pixels = 0;
  std::uint64_t unknown_kinds = 0;

  [[nodiscard]] std::uint64_t pixels() const { return static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height); }
};

struct SampleInspection {
  std::array<std::uint64_t, 2> source_hash{};  // XXH3-64 of image and label file; known even where the sample has a problem
  std::optional<codecs::ImageInfo> image;
  std::optional<codecs::ImageInfo> label;
  std::optional<CoarseLook> look;             // of the image, where it could be decoded
  std::vector<LabelInspection> label_pixels;  // of the label, or of each mask in order
  std::optional<Problem> label_problem;       // of the label of a sample that is refused because of its image
};

// Called by the worker for each decoded label, also when it is refused afterwards: appends to `inspection.label_pixels`. `ids` are the
// class ids of the pixels; without data where LabelDecoder::decode() failed.
void inspect_label(const RawLabel& label, const labels::DecodeReport& report, ConstIds ids, SampleInspection& inspection);

}  // namespace hotpack::pipeline
