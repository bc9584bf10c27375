// A label file's pixels before any meaning is given to them: what codecs hand to labels.
//
// Views only; valid as long as the Decoder that made them is not called again.
#pragma once

#include <string>
#include <vector>

#include "base/pixels.hpp"
#include "hotpack/schema.hpp"

namespace hotpack {

struct RawLabel {
  int width = 0, height = 0;
  int bit_depth = 8;   // of a stored sample: 1, 2, 4, 8 or 16
  bool lossy = false;  // from a JPEG
  std::string form;    // for messages: "8-bit gray PNG", "4-bit palette PNG", "RGB JPEG", …
  // Exactly one of the two is set (its data is not null).
  ConstPixels rgb;                // colors, 3 channels (RGB and RGBA files, alpha dropped; color JPEG)
  ConstIds samples;               // raw samples, 1 channel: gray at 1/2/4/8/16 bits without rescaling, palette indices
  bool is_palette = false;        // samples are palette indices
  std::vector<RgbColor> palette;  // of a palette file: PLTE as stored, may be shorter than the indices used
  bool alpha_varies = false;      // the file has alpha (gray+alpha, RGBA) and it is not constant
};

}  // namespace hotpack
