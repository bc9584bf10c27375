// The files of one split before images and labels are paired.
#pragma once

#include <string>
#include <vector>

#include "files/file_list.hpp"
#include "files/name_pattern.hpp"

namespace hotpack::pipeline {

struct FileSet {
  std::string name;  // of the split; empty for a single set
  FileList images;
  FileList labels;
  bool labeled = false;     // has label files
  bool one_folder = false;  // images and labels share folders: both lists hold all files until
                            // suffixes tell them apart
  bool by_folder = false;   // the folder of an image is its class
  bool merged = false;      // the label files of an image become one label
  // Patterns of --images and --labels, one per root; empty if no folder is given as a pattern.
  std::vector<NamePattern> image_patterns, label_patterns;
};

}  // namespace hotpack::pipeline
