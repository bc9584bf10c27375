// Finds images that are valid but show nothing: one color throughout, nothing but transparent
// pixels, or rows that a decoder filled in.
//
// Memory does not depend on the number of images. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "check/diagnostics.hpp"
#include "pack/image_defects.hpp"

namespace hotpack::pipeline {

class ImageDiagnostics {
 public:
  void add(const std::string& path, const ImageDefects& defects);
  // `images` is the number of all images. A defect that more than half of them have is a property
  // of the data, and only a note.
  void finish(std::uint64_t images, Diagnostics& diagnostics) const;

 private:
  Occurrences one_color_, transparent_, filled_;
};

}  // namespace hotpack::pipeline
