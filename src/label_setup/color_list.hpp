// Lists the colors or ids in the labels of a data set, and the preset that knows them. This helps
// users to write a class table.
//
// Functions that only read files, on the threads of the caller's arena; results and errors do not
// depend on the number of threads. Memory: at most 2·kMostColors colors per thread. Failure: `io`,
// of the first label in the order of lists and samples that cannot be read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/pixels.hpp"
#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"
#include "samples/sample_list.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

struct ListedColor {
  RgbColor color{};
  std::uint32_t id = 0;  // replaces the color in a list of ids
  std::uint64_t pixels = 0;
  std::uint64_t labels = 0;  // that contain it
  std::string path;          // the first such label, in the order of lists and samples
  PixelPlace place;          // the first such pixel in `path`
};

struct ColorList {
  static constexpr std::size_t kMostColors = 65536;  // of more, the smallest (#rrggbb) are listed
  static constexpr std::size_t kMostInALabel =
      256;  // a label with more is a photo or was interpolated; its colors are not listed

  bool ids = false;                 // ids of gray and palette labels, not colors of RGB labels
  std::vector<ListedColor> colors;  // colors: most pixels first, then by color; ids: ascending
  std::uint64_t labels =
      0;  // labels of that form that were read; JPEGs keep neither ids nor colors and are ignored
  std::uint64_t crowded = 0;  // labels among these with more than kMostInALabel colors
  std::string preset;  // the preset that knows most of the colors; empty if none knows nearly all
  std::size_t known = 0;  // number of colors that it knows

  // "30 of 30 colors are those of --preset camvid32"; empty without a preset.
  [[nodiscard]] std::string preset_text() const;
};

// Lists the colors in at most `most` labels of each list, spread evenly over the list. Labels that
// cannot be decoded, or have more pixels than the options allow, are ignored.
[[nodiscard]] Result<ColorList> list_colors(std::span<const SampleList* const> lists,
                                            const PackOptions& options, std::size_t most,
                                            Observer& observer);

// The same for ids, without a preset.
[[nodiscard]] Result<ColorList> list_ids(std::span<const SampleList* const> lists,
                                         const PackOptions& options, Observer& observer);

// Returns a file for the user to complete. For colors it is a class table: name,r,g,b with the
// names color_1, color_2, … For the ids 0 … N−1 it is that of skeleton_of_ids(), for other ids a
// map: old,new.
[[nodiscard]] std::string skeleton_of(const ColorList& list);
// Returns a class table for the ids 0 … count − 1: id,name with the names class_0, class_1, …
[[nodiscard]] std::string skeleton_of_ids(std::size_t count);
// True if the skeleton is a map for --map, not a table for --classes.
[[nodiscard]] bool needs_map(const ColorList& list);

}  // namespace hotpack::pipeline
