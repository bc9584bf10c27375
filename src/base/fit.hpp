// How a source image is laid into a record: the rectangle of `source.region`. Integers only, so every platform agrees.
//
// Pure functions; thread-safe. FORMAT.md ("Geometry") states the formulas.
#pragma once

#include <vector>

namespace hotpack {

enum class Fit {
  stretch,      // to the record's size, whatever that does to the aspect
  crop_or_pad,  // as it is; what is too much is cut, what is missing is padded
  contain,      // scaled to lie whole inside, the rest padded
  cover,        // scaled to fill the record, the rest cut
  none,         // as it is; the record has the image's own size
  long_side,    // scaled until the longer side has the longer side's length of the record, then cropped or padded
  short_side,   // the same with the shorter sides
};
enum class Anchor { center, top_left };

// x, y, width, height in the record of the rectangle that the whole source is mapped to; may lie partly outside.
struct Region {
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Region&) const = default;
};

struct Extent {
  int width = 0, height = 0;
  bool operator==(const Extent&) const = default;
};

// `target` is the record's size; ignored with Fit::none. Sizes must be at least 1. A product never overflows 64 bits.
[[nodiscard]] Region fit_region(Fit fit, Anchor anchor, Extent source, Extent target);

// Size that the whole source is scaled to. Precondition as above.
[[nodiscard]] Extent scaled_extent(Fit fit, Extent source, Extent target);

// The next multiple of `step` from `length` on.
[[nodiscard]] int padded_length(int length, int step);

// Left (or upper) edges of the tiles along an axis: steps of tile − overlap; the last tile is shifted back so that it ends with the
// image; one tile at 0 where the image is no longer than a tile. Preconditions: tile ≥ 1, 0 ≤ overlap < tile.
[[nodiscard]] std::vector<int> tile_edges(int length, int tile, int overlap);

}  // namespace hotpack
