// The place of an image in its record or, if it is cut into tiles, in each of its records.
//
// It depends only on the options and the size of the image, so a plan needs only headers. Pure
// functions; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "base/fit.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// The fitted image: the content of a record, or the source of tiles.
struct Canvas {
  Extent size;
  Region region;  // the place of the whole source in it
};
[[nodiscard]] Canvas canvas_of(const RecordOptions& options, Extent source);

struct Corner {
  int x = 0, y = 0;
};
// Upper left corners of the tiles of a canvas, row by row; at least one.
[[nodiscard]] std::vector<Corner> tile_corners(const TileOptions& tile, Extent canvas);

// Limits for cutting an image into tiles: the bytes of the pixels and ids of its canvas, and the
// number of its tiles. An image beyond a limit is too large.
inline constexpr std::uint64_t kMaxCanvasBytes = std::uint64_t{2} << 30;
inline constexpr std::uint64_t kMaxTiles = std::uint64_t{1} << 20;
[[nodiscard]] std::uint64_t tile_count(const TileOptions& tile, Extent canvas);
[[nodiscard]] bool can_be_tiled(const RecordOptions& options, Extent source);

// The size of a record: that of the tile, else that of the canvas.
[[nodiscard]] Extent record_extent(const RecordOptions& options, Extent source);

// True if records may have different sizes.
[[nodiscard]] bool mixed_sizes(const RecordOptions& options);
// True if the plan depends on the sizes of images, so that headers must be read first.
[[nodiscard]] bool plan_needs_sizes(const RecordOptions& options);

}  // namespace hotpack::pipeline
