// A fault of a JPEG that cost none of its pixels. A plain value.
#pragma once

#include <string>

namespace hotpack::codecs {

struct JpegFlaw {
  std::string text;      // libjpeg's own; empty: the file has no flaw
  bool lenient = false;  // accepted only because of ImageOptions::lenient

  [[nodiscard]] bool found() const { return !text.empty(); }
};

}  // namespace hotpack::codecs
