// Finds folders by the usual names of parts of a data set: "images/train", "val_labels",
// "annotations_prepped_test".
//
// Constant tables and functions that only read folders; thread-safe. Failure: `io` for a folder
// that cannot be read.
#pragma once

#include <cstddef>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::pipeline {

struct FoundFolder {
  std::string path;   // begins with the root
  std::string split;  // the text for {split}; empty if the pattern has none
  std::string word;   // the text for {images} or {labels}
};

// A pattern for relative paths of folders. {split} stands for any usual name of a split, {images}
// and {labels} for any usual name of a folder of images or labels, and {-} for nothing or one of
// space, '_', '-' and '.'. Upper and lower case are equal.
class FolderPattern {
 public:
  explicit FolderPattern(std::string_view text);
  // Folders below `root` that match the pattern, in byte order.
  [[nodiscard]] Result<std::vector<FoundFolder>> find(const std::string& root) const;

 private:
  struct Part {
    std::regex expression;
    std::size_t split_group = 0, word_group = 0;  // 0: none
  };
  static Part compile(std::string_view text);
  static bool match(const Part& part, const std::string& name, FoundFolder& folder);
  std::vector<Part> parts_;
};

// True if folders of images (of labels) often have this name.
[[nodiscard]] bool is_images_word(std::string_view name);
[[nodiscard]] bool is_labels_word(std::string_view name);

// The kind of images anywhere below a folder.
enum class ImageFiles { none, unsupported, readable };
[[nodiscard]] Result<ImageFiles> image_files_below(const std::string& folder);

}  // namespace hotpack::pipeline
