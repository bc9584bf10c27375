// Which colours a data set's labels hold, and which preset knows them: what people need to write a class table.
//
// Functions that only read files, in parallel; results do not depend on threads. Memory: at most kMostColors colours a thread.
// Failure: `io`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"
#include "pipeline/inspection.hpp"
#include "pipeline/observer.hpp"
#include "pipeline/sample_list.hpp"

namespace hotpack::pipeline {

struct ListedColor {
  RgbColor color{};
  std::uint64_t pixels = 0;
  std::uint64_t labels = 0;  // that hold it
  std::string path;          // the first of them, in the order of lists and samples, …
  PixelPlace place;          // … and its first pixel there
};

struct ColorList {
  static constexpr std::size_t kMostColors = 65536;
  static constexpr std::size_t kMostInALabel = 256;  // a label with more is a photo or was interpolated: its colours are not listed

  std::vector<ListedColor> colors;  // most pixels first, equal ones by colour
  std::uint64_t labels = 0;         // RGB labels that were read; JPEGs keep no colours and are passed over
  std::uint64_t crowded = 0;        // of these, with more than kMostInALabel colours
  std::string preset;               // the one that knows most of the colours; empty where none knows nearly all
  std::size_t known = 0;            // how many it knows

  // "30 of 30 colours are those of --preset camvid32"; empty without a preset.
  [[nodiscard]] std::string preset_text() const;
};

// Of at most `most` labels of each list, spread over it. What cannot be decoded is passed over.
[[nodiscard]] Result<ColorList> list_colors(std::span<const SampleList* const> lists, std::uint64_t max_pixels, std::size_t most,
                                            Observer& observer);

// A class table to fill in: name,r,g,b with color_1, color_2, … for names.
[[nodiscard]] std::string skeleton_of(const ColorList& list);

}  // namespace hotpack::pipeline
