// Finds the file that an entry of a list means.
//
// Refers to a FileList sorted by key, which must outlive it. Allocates a few bytes per file at the
// first search that needs them. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files/file_list.hpp"

namespace hotpack::pipeline {

class KeyFinder {
 public:
  using Indices = std::vector<std::uint32_t>;  // of files

  explicit KeyFinder(const FileList& sorted) : list_(sorted) {}

  // Returns the files that `word` may mean. Applies these rules in order until one finds a file, to
  // the word with and without the extension of an image:
  // - The word is a key.
  // - The word is a path below a root, or begins with the last parts of the path of a root:
  //   "JPEGImages/480p/dog/1.jpg" below "/data/JPEGImages/480p".
  // - The word contains no '/' and is the part of a key after its last '/'.
  // - The file has the path `path`.
  [[nodiscard]] Indices find(std::string_view word, const std::string& path = {});
  // Returns the files whose keys begin with `beginning`.
  [[nodiscard]] Indices find_beginning(std::string_view beginning) const;

 private:
  Indices find_stem(std::string_view stem);
  Indices find_path(std::string_view path);

  const FileList& list_;
  Indices by_stem_, by_name_;  // all files by path below the root, and by the last part of the key
  std::vector<std::string> folders_;  // of the roots, absolute and normal; filled when first needed
};

}  // namespace hotpack::pipeline
