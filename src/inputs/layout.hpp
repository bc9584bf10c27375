// Detects how a data set lies in its folder.
//
// Looks at names of folders and lists, reads no image. Tells what it found; where two readings are as good, or none is, it asks rather
// than guesses. Failure: `io` for what cannot be read, `usage` where the folder is no data set, `data` where its layout is open: the
// message says what was found, what was looked for, and which options say it.
#pragma once

#include <string>
#include <vector>

#include "hotpack/result.hpp"
#include "inputs/suffix_rules.hpp"

namespace hotpack::pipeline {

// Where the samples of one split are.
struct SplitFolders {
  std::string name;    // empty where the data set has no splits
  std::string images;  // folder
  std::string labels;  // folder, of class folders and of labels next to images the same one; empty: images alone
  std::string list;    // file that says which samples of the folders are meant; empty: all
};

struct Layout {
  enum class Kind {
    folders,        // images and labels in folders of their own
    one_folder,     // labels next to their images
    class_folders,  // folders of class folders
    tables,         // `list` is a table of samples (--pairs)
  } kind = Kind::folders;
  std::string name;                   // "Pascal VOC"
  std::string root;                   // the folder that has this layout: the data set's, or the only one with a layout in it
  std::vector<SplitFolders> splits;   // in byte order of names
  std::vector<std::string> remarks;   // what was preferred, a line each
  std::vector<std::string> warnings;  // images below the folder that no split takes, counted; a line each

  // For people: the layout and where its splits are, several lines.
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] Result<Layout> detect_layout(const std::string& root, const GivenSuffixes& given);

}  // namespace hotpack::pipeline
