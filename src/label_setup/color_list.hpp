// Which colors or ids a data set's labels hold, and which preset knows them: what people need to write a class table.
//
// Functions that only read files, in parallel; results do not depend on threads. Memory: at most kMostColors colors per thread.
// Failure: `io`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/pixels.hpp"
#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"
#include "inputs/sample_list.hpp"
#include "settings/observer.hpp"

namespace hotpack::pipeline {

struct ListedColor {
  RgbColor color{};
  std::uint32_t id = 0;  // in place of the color, in a list of ids
  std::uint64_t pixels = 0;
  std::uint64_t labels = 0;  // that hold it
  std::string path;          // the first of them, in the order of lists and samples, …
  PixelPlace place;          // … and its first pixel there
};

struct ColorList {
  static constexpr std::size_t kMostColors = 65536;
  static constexpr std::size_t kMostInALabel = 256;  // a label with more is a photo or was interpolated: its colors are not listed

  bool ids = false;                 // of gray and palette labels, in place of the colors of RGB labels
  std::vector<ListedColor> colors;  // colors: most pixels first, equal ones by color; ids: in their order
  std::uint64_t labels = 0;         // labels of that form that were read; JPEGs keep neither and are passed over
  std::uint64_t crowded = 0;        // of these, with more than kMostInALabel colors
  std::string preset;               // the one that knows most of the colors; empty where none knows nearly all
  std::size_t known = 0;            // how many it knows

  // "30 of 30 colors are those of --preset camvid32"; empty without a preset.
  [[nodiscard]] std::string preset_text() const;
};

// Of at most `most` labels of each list, spread over it. What cannot be decoded is passed over.
[[nodiscard]] Result<ColorList> list_colors(std::span<const SampleList* const> lists, std::uint64_t max_pixels, std::size_t most,
                                            Observer& observer);

// The same of ids. No preset is looked for.
[[nodiscard]] Result<ColorList> list_ids(std::span<const SampleList* const> lists, std::uint64_t max_pixels, Observer& observer);

// A class table to fill in: name,r,g,b with color_1, color_2, … for names. Of ids that are not 0 … N−1 it is a map, old,new.
[[nodiscard]] std::string skeleton_of(const ColorList& list);
// The same for the ids 0 … N−1: id,name with class_0, class_1, …
[[nodiscard]] std::string skeleton_of_ids(std::size_t count);
// Whether the skeleton is a map for --map, rather than a table for --classes.
[[nodiscard]] bool needs_map(const ColorList& list);

}  // namespace hotpack::pipeline
