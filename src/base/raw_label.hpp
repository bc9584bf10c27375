// The pixels of a label file before they are interpreted: codecs pass them to labels.
//
// Views only; valid until the Decoder that made them is called again.
#pragma once

#include <string>
#include <vector>

#include "base/pixels.hpp"
#include "hotpack/schema.hpp"

namespace hotpack {

struct RawLabel {
  int width = 0, height = 0;
  int bit_depth = 8;   // bits per stored sample: 1, 2, 4, 8 or 16
  bool lossy = false;  // true for a JPEG
  std::string form;    // for messages: "8-bit gray PNG", "4-bit palette PNG", "RGB JPEG", …
  // Exactly one of these three is set (its data is not null).
  ConstPixels rgb;    // colors, 3 channels (RGB and RGBA files, alpha dropped; color JPEG)
  ConstIds samples;   // raw samples, 1 channel: gray at 1/2/4/8/16 bits without rescaling, palette
                      // indices
  ConstIds wide_rgb;  // colors of 16 bits per channel, 3 channels (alpha dropped)
  bool is_palette = false;        // samples are palette indices
  std::vector<RgbColor> palette;  // PLTE as stored; may be shorter than the indices require
  bool alpha_varies = false;      // the file has alpha (gray+alpha, RGBA) and it is not constant
};

}  // namespace hotpack
