// Folders that hold one sample each: "case0/image.png" and "case0/mask.png" beside "case1/…". Read as class folders they would make
// masks images, so whoever detects a layout asks first.
//
// Looks at names alone, reads no picture; thread-safe. Failure: `io` for a folder that cannot be read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hotpack/result.hpp"

namespace hotpack::pipeline {

struct SampleFolders {
  std::uint64_t folders = 0;
  std::uint64_t incomplete = 0;          // that lack the image or the label
  std::string image, label;              // an example of each: "case0/image.png"
  std::string image_regex, label_regex;  // for --pair-regex, unquoted
  bool more_files = false;               // there are others than these two, such as depth.png
};

// Nothing where the folders in `root` do not look so: in each the same two to six names, but for numbers and the folder's own name.
[[nodiscard]] Result<std::optional<SampleFolders>> find_sample_folders(const std::string& root);

}  // namespace hotpack::pipeline
