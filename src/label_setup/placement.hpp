// Where an image lies in its record, or in each of its records when it is cut into tiles.
//
// Everything follows from the options and the image's size, so a plan knows it from headers alone. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "base/fit.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// The fitted image: what a record holds, or what tiles are cut from.
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

// How many that are, and whether an image is too large to be cut: a canvas (pixels, ids, labels) of more than this many bytes, or more
// tiles than this.
inline constexpr std::uint64_t kMaxCanvasBytes = std::uint64_t{2} << 30;
inline constexpr std::uint64_t kMaxTiles = std::uint64_t{1} << 20;
[[nodiscard]] std::uint64_t tile_count(const TileOptions& tile, Extent canvas);
[[nodiscard]] bool can_be_tiled(const RecordOptions& options, Extent source);

// A record's size: the tile's, else the canvas's.
[[nodiscard]] Extent record_extent(const RecordOptions& options, Extent source);

// Whether records have different sizes.
[[nodiscard]] bool mixed_sizes(const RecordOptions& options);
// Whether the plan depends on the images' sizes: their headers must be read first.
[[nodiscard]] bool plan_needs_sizes(const RecordOptions& options);

}  // namespace hotpack::pipeline
