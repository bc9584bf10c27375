// Finds out which files the paths in a list or table mean. Removes a prefix that an option gives,
// and adds the folder to which relative paths refer.
//
// Not thread-safe: place() counts the paths that begin with the prefix. Failure: code `usage` in
// check_prefix().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files/file_list.hpp"
#include "hotpack/result.hpp"

namespace hotpack::pipeline {

class ListedPaths {
 public:
  // Relative paths of `file` start in `root` or, if that is empty, in the folder of the file.
  ListedPaths(std::string file, const std::string& root, std::string strip_prefix);

  // Returns two roots: the first for relative paths, the second for absolute ones.
  [[nodiscard]] const std::vector<Root>& roots() const { return roots_; }

  // A path without the prefix, below one of roots().
  struct Place {
    std::uint16_t root = 0;
    std::string_view below;
  };
  [[nodiscard]] Place place(std::string_view path);
  // Returns the path of a file relative to the first root if it is absolute, or contains "../", and
  // its folder is this root or lies below it; else the path.
  [[nodiscard]] std::string relative(const std::string& path);
  // The path in the file system.
  [[nodiscard]] std::string path(const Place& place) const {
    return path_below(roots_[place.root].folder, place.below);
  }

  // Returns what else may be meant by a path that names no file: the path with '/' for backslashes,
  // with %20 and the like decoded, and from the first root on without its leading '/'.
  [[nodiscard]] static std::vector<std::string> other_forms(std::string_view path);

  // Refuses a prefix that none of the paths given to place() began with.
  [[nodiscard]] Status check_prefix() const;

 private:
  std::string file_, strip_prefix_, slashed_prefix_;  // slashed: with '/' for backslashes
  std::vector<Root> roots_;
  std::string absolute_, canonical_;  // the first root, with '/' at the end
  std::string folder_, below_;        // the last folder in relative(), and its canonical path
  std::string first_;                 // path, for the message
  std::size_t stripped_ = 0;          // paths that began with the prefix
};

// The folder of a file: "." for a name without one.
[[nodiscard]] std::string folder_of(std::string_view path);

}  // namespace hotpack::pipeline
