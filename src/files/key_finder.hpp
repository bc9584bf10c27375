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

 private:
  using Order = std::vector<std::uint32_t>;
  std::vector<std::uint32_t> find_stem(std::string_view stem);
  std::vector<std::uint32_t> find_name(std::string_view name);

  const FileList& list_;
  std::optional<Order> by_stem_,
      by_name_;  // indices sorted by path below the root, and by last part of the key
  std::vector<std::string> folders_;  // of the roots, absolute and normal; filled when first needed
};

}  // namespace hotpack::pipeline
