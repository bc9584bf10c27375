// Folders that hold one sample each: "case0/image.png" and "case0/mask.png" next to "case1/…". Read as class folders they would make
// masks images, so whoever detects a layout asks first.
//
// Any one of these signs is enough: in nine of ten folders a file that is called like a label next to others that are not; the same names;
// two kinds of name with the same numbers (frame_1, seg_1). Or in every folder photographs and gray or palette PNG files in one ratio.
// Folders within are looked past. Names that differ in digits alone are images that somebody counted, not image and label.
// Looks at names and at the headers of some PNG files; thread-safe. Failure: `io` for a folder that cannot be read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::pipeline {

struct SampleFolders {
  std::uint64_t folders = 0;
  std::uint64_t incomplete = 0;  // that lack the image or the label
  std::string seen;              // "whose files have the same names, such as case0/image.png and case0/mask.png"
  // For --pair-regex, unquoted: one where image and label are clear, two where either may be the label, none where no expression was found
  // that says which files go together.
  struct Expressions {
    std::string image, label;
  };
  std::vector<Expressions> pairs;
  // Where labels differ by one word, as mask_car and mask_road do: for --image-suffix and --mask-per-class; empty elsewhere.
  std::string image_suffix, mask_pattern;
  bool several = false;     // samples in a folder, told apart by numbers
  bool more_files = false;  // there are others than these two, such as depth.png
};

// Nothing where the folders in `root` do not look so.
[[nodiscard]] Result<std::optional<SampleFolders>> find_sample_folders(const std::string& root);

}  // namespace hotpack::pipeline
