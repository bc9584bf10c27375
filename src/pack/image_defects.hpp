// Finds defects that the pixels of one image show: one color throughout, rows that a decoder filled
// in, and a drawing of its label in place of a photo.
//
// Pure functions; thread-safe.
#pragma once

#include "base/pixels.hpp"
#include "base/raw_label.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::pipeline {

struct ImageDefects {
  bool one_color = false;
  bool transparent = false;  // alpha is 0 everywhere; find_defects() does not see alpha
  bool shows_label = false;  // its pixels are those of its label; needs the label
  // The share of rows, from the bottom up, that are one middle gray. Decoders fill in so what a
  // truncated JPEG lacks. 0 if fewer than 8 rows are, or if the first row is so as well (a border).
  double filled = 0;
};

[[nodiscard]] ImageDefects find_defects(ConstPixels image);

// True if all pixels have this color.
[[nodiscard]] bool has_only(ConstPixels image, RgbColor color);

// True if the image shows the colors (or the gray values) of a label pixel by pixel. False for a
// label of one value, and if the sizes differ.
[[nodiscard]] bool shows_label(ConstPixels image, const RawLabel& label);

}  // namespace hotpack::pipeline
