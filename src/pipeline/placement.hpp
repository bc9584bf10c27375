// Where a picture lies in its record, or in each of its records when it is cut into tiles.
//
// Everything follows from the options and the picture's size, so a plan knows it from headers alone. Pure functions; thread-safe.
#pragma once

#include <vector>

#include "base/fit.hpp"
#include "pipeline/options.hpp"

namespace hotpack::pipeline {

// The fitted picture: what a record holds, or what tiles are cut from.
struct Canvas {
  Extent size;
  Region region;  // where the whole source lies in it
};
[[nodiscard]] Canvas canvas_of(const RecordOptions& options, Extent source);

struct Corner {
  int x = 0, y = 0;
};
// Upper left corners of the tiles of a canvas, row by row; at least one.
[[nodiscard]] std::vector<Corner> tile_corners(const TileOptions& tile, Extent canvas);

// A record's size: the tile's, else the canvas's.
[[nodiscard]] Extent record_extent(const RecordOptions& options, Extent source);

// Whether records have different sizes.
[[nodiscard]] bool mixed_sizes(const RecordOptions& options);
// Whether the plan depends on the pictures' sizes: their headers must be read first.
[[nodiscard]] bool plan_needs_sizes(const RecordOptions& options);

}  // namespace hotpack::pipeline
