// The places of a data set's samples: a plain value, which options or detection fill.
#pragma once

#include <string>
#include <vector>

namespace hotpack::pipeline {

// The places of one split's samples.
struct SplitFolders {
  std::string name;    // empty if the data set has no splits
  std::string images;  // folder
  std::string labels;  // folder; the same one for labels next to images; empty: images alone
  std::string list;    // file that selects samples of the folders; empty: all
};

struct Layout {
  enum class Kind {
    folders,     // images and labels in folders of their own
    one_folder,  // labels next to their images
    tables,      // `list` is a table of samples (--pairs)
  } kind = Kind::folders;
  std::string name;    // "Pascal VOC"
  bool usual = false;  // found by usual names of folders, not by those of a published data set
  std::string root;  // the folder that has this layout: the data set itself, or the only folder in
                     // it that has a layout
  std::vector<SplitFolders> splits;                // in byte order of names
  std::string image_expression, label_expression;  // of --pair-regex; empty: suffixes pair names
  std::vector<std::string> exclude;   // parts of names of files that are no images and no labels
  std::vector<std::string> notes;     // files that were not used, one line each
  std::vector<std::string> warnings;  // images that no split uses, one line each

  // For people: the layout and the places of its splits, in several lines.
  [[nodiscard]] std::string text() const;
  // Returns `path` without the root; "." for the root itself.
  [[nodiscard]] std::string relative(const std::string& path) const;
};

}  // namespace hotpack::pipeline
