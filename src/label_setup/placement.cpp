#include "label_setup/placement.hpp"

namespace hotpack::pipeline {

namespace {

// Returns true if the size of the canvas (the image before tiles are cut) comes from the scaled
// image, not from --size: for --fit none, and for tiles of an image that is scaled by one side.
bool frames_itself(const RecordOptions& options) {
  const Fit fit = options.resolved_fit();
  return fit == Fit::none || (options.tile && (fit == Fit::long_side || fit == Fit::short_side));
}

}  // namespace

Canvas canvas_of(const RecordOptions& options, Extent source) {
  const Fit fit = options.resolved_fit();
  if (!frames_itself(options))
    return {options.size, fit_region(fit, options.anchor, source, options.size)};
  const Extent scaled = scaled_extent(fit, source, options.size);
  const Extent size{padded_length(scaled.width, options.pad_multiple),
                    padded_length(scaled.height, options.pad_multiple)};
  return {size, fit_region(Fit::crop_or_pad, options.anchor, scaled, size)};
}

std::vector<Corner> tile_corners(const TileOptions& tile, Extent canvas) {
  std::vector<Corner> corners;
  const std::vector<int> lefts = tile_edges(canvas.width, tile.size.width, tile.overlap);
  for (const int top : tile_edges(canvas.height, tile.size.height, tile.overlap))
    for (const int left : lefts) corners.push_back({left, top});
  return corners;
}

std::uint64_t tile_count(const TileOptions& tile, Extent canvas) {
  const auto along = [&](int length, int side) -> std::uint64_t {
    if (length <= side) return 1;
    const int step = side - tile.overlap;
    return static_cast<std::uint64_t>((length - side + step - 1) / step) + 1;
  };
  return along(canvas.width, tile.size.width) * along(canvas.height, tile.size.height);
}

bool can_be_tiled(const RecordOptions& options, Extent source) {
  constexpr std::uint64_t kBytesAPixel = 3 + 2;  // colors and an id
  const Extent canvas = canvas_of(options, source).size;
  const auto pixels =
      static_cast<std::uint64_t>(canvas.width) * static_cast<std::uint64_t>(canvas.height);
  return pixels <= kMaxCanvasBytes / kBytesAPixel && tile_count(*options.tile, canvas) <= kMaxTiles;
}

Extent record_extent(const RecordOptions& options, Extent source) {
  return options.tile ? options.tile->size : canvas_of(options, source).size;
}

bool mixed_sizes(const RecordOptions& options) {
  return options.resolved_fit() == Fit::none && !options.tile;
}

bool plan_needs_sizes(const RecordOptions& options) {
  return options.resolved_fit() == Fit::none || options.tile.has_value();
}

}  // namespace hotpack::pipeline
