// The files of one split before images and labels are paired.
#pragma once

#include <string>

#include "inputs/file_list.hpp"

namespace hotpack::pipeline {

struct FileSet {
  std::string name;  // of the split; empty where there is one set only
  FileList images;
  FileList labels;
  bool labelled = false;    // by files of `labels`
  bool one_folder = false;  // images and labels are in the same folders: both lists hold all files until suffixes tell them apart
  bool by_folder = false;   // the class of an image is its folder
};

}  // namespace hotpack::pipeline
