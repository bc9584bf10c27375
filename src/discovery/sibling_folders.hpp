// Finds sibling folders whose files have the same names. They are usually images and labels, but
// may be two classes.
//
// Reads names and sizes of files, no image. Thread-safe. Failure: `io` for folders that cannot be
// read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hotpack/result.hpp"
#include "samples/affixes.hpp"

namespace hotpack::pipeline {

struct SiblingFolders {
  std::string images, labels;  // names of the folders; the likelier assignment of the two
  Affix affix;                 // by which the names of one folder differ from those of the other
  bool on_images = false;      // true if the names of images have the affix
  std::uint64_t pairs = 0;
  std::string image_example, label_example;  // names of one pair, without extension
};

// Returns two folders inside `folder` that look like images and labels. Returns nothing unless
// there are exactly two folders with images, neither is named like a split, and at least 90 % of
// the names in one folder are also in the other, equal or longer by one affix. Also returns nothing
// if both contain images next to a folder of the same name ("cat/annotated", "dog/annotated"),
// because such folders are classes.
[[nodiscard]] Result<std::optional<SiblingFolders>> find_sibling_folders(const std::string& folder);

// Several folders of images, each with a folder of labels: seqa, seqa_gt, seqb, seqb_gt; or cat/
// and cat/annotated/, dog/ and dog/annotated/.
struct LabelFolders {
  struct Pair {
    std::string name, images, labels;  // of the pair, and of its folders below the root
  };
  std::vector<Pair> pairs;
  bool within = false;  // the folders of labels lie in those of images
  Affix affix;          // of files, as in SiblingFolders
  bool on_images = false;
  std::vector<std::string> alone;  // folders with images that are of no pair
};

// Returns nothing unless there are at least two such pairs.
[[nodiscard]] Result<std::optional<LabelFolders>> find_label_folders(const std::string& folder);

}  // namespace hotpack::pipeline
