// Folders with one sample each: "case0/image.png" and "case0/mask.png" next to "case1/…". If they
// were read as class folders, masks would be packed as images; so hotpack asks the user.
//
// One of these signs is enough:
// - Nine of ten folders have a file named like a label, next to other images.
// - Nine of ten folders have files with the same names.
// - Nine of ten folders have two kinds of name with the same numbers (frame_1, seg_1).
// - Every folder has photographs and gray or palette PNG files, in the same ratio.
// Deeper folders are ignored. Names that differ only in digits are numbered images, not image and
// label. If two kinds of file may be the label, the likelier label is the kind with a palette,
// without colors, or with smaller files.
//
// Examines names, and headers and sizes of some files; thread-safe. Failure: `io` for a folder that
// cannot be read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::pipeline {

struct SampleFolders {
  std::uint64_t folders = 0;
  std::uint64_t incomplete = 0;  // folders that lack the image or the label
  std::string
      seen;  // "whose files have the same names, such as 'case0/image.png' and 'case0/mask.png'"
  // The two expressions of --pair-regex, unquoted.
  struct Expressions {
    std::string image, label;
    std::string label_example;  // if either file may be the label
  };
  // Expressions that pair the files. One element if it is clear which file is the label; two, the
  // likelier first, if either file may be the label; none if no expressions pair the files.
  std::vector<Expressions> pairs;
  // Values for --image-suffix and --mask-per-class if the names of labels differ by one word, such
  // as mask_car and mask_road; otherwise empty.
  std::string image_suffix, mask_pattern;
  bool several = false;     // a folder holds several samples, which numbers tell apart
  bool more_files = false;  // folders hold other files too, such as depth.png
};

// Returns nothing if the folders in `root` show none of these signs.
[[nodiscard]] Result<std::optional<SampleFolders>> find_sample_folders(const std::string& root);

}  // namespace hotpack::pipeline
