// Finds the file that an entry of a list means.
//
// Refers to a FileList sorted by key, which must outlive it. Allocates a few bytes per file at the
// first search that needs them. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/file_list.hpp"

namespace hotpack::pipeline {

class KeyFinder {
 public:
  explicit KeyFinder(const FileList& sorted) : list_(sorted) {}

  // Returns the indices of the files that `word` may mean. Applies these rules in order until one
  // finds a file:
  // - The word is a key.
  // - The word is a path below a root, with or without extension.
  // - The word contains no '/' and is the part of a key after its last '/'.
  [[nodiscard]] std::vector<std::uint32_t> find(std::string_view word);
  // Returns the indices of the files whose path in the file system is `path`.
  [[nodiscard]] std::vector<std::uint32_t> find_path(const std::string& path);
  // Returns the indices of the files whose path ends with `path`, which begins with whole parts of
  // the path of a root: "JPEGImages/480p/dog/1.jpg" below "/data/JPEGImages/480p".
  [[nodiscard]] std::vector<std::uint32_t> find_end(std::string_view path);
  // Returns the indices of the files whose keys are below a folder: "dog/1" and "dog/2" for "dog".
  [[nodiscard]] std::vector<std::uint32_t> find_folder(std::string_view folder) const;

 private:
  using Order = std::vector<std::uint32_t>;
  std::vector<std::uint32_t> find_stem(std::string_view stem);
  std::vector<std::uint32_t> find_name(std::string_view name);

  const FileList& list_;
  // Indices sorted by path below the root, and by the last part of the key.
  std::optional<Order> by_stem_, by_name_;
  std::vector<std::string> folders_;  // of the roots, absolute and normal; filled when first needed
};

}  // namespace hotpack::pipeline
