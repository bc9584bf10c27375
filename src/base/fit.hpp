// Computes the rectangle that a source image occupies in a record (`source.region`). Uses integers
// only, so every platform computes the same one.
//
// Pure functions; thread-safe. FORMAT.md ("Geometry") has the formulas.
#pragma once

#include <vector>

namespace hotpack {

enum class Fit {
  stretch,      // scaled to the record's size, without keeping the aspect ratio
  crop_or_pad,  // not scaled; cropped or padded to the record's size
  contain,      // scaled to fit inside, the rest padded
  cover,        // scaled to fill the record, the rest cropped
  none,         // not scaled; the record has the image's size
  long_side,    // the longer side scaled to the record's longer side, then cropped or padded
  short_side,   // the same with the shorter sides
};
enum class Anchor { center, top_left };

// The rectangle that the whole source image occupies in its record, in pixels of the record. It may
// extend beyond the record.
struct Region {
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Region&) const = default;
};

struct Extent {
  int width = 0, height = 0;
  bool operator==(const Extent&) const = default;
};

// Returns the rectangle that an image of size `source` occupies in a record of size `target`. With
// Fit::none, the record has the size of the image and `target` is ignored. Precondition: sizes are
// at least 1. No product exceeds 64 bits.
[[nodiscard]] Region fit_region(Fit fit, Anchor anchor, Extent source, Extent target);

// The size to which the whole source is scaled. Preconditions as above.
[[nodiscard]] Extent scaled_extent(Fit fit, Extent source, Extent target);

// The smallest multiple of `step` that is at least `length`.
[[nodiscard]] int padded_length(int length, int step);

// Returns the left (or upper) edges of the tiles along an axis of `length` pixels: multiples of
// tile − overlap. The last tile is shifted back so that it ends with the image. An image that is no
// longer than a tile has one tile, at 0. Preconditions: tile ≥ 1, 0 ≤ overlap < tile.
[[nodiscard]] std::vector<int> tile_edges(int length, int tile, int overlap);

}  // namespace hotpack
