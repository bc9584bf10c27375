// Visits the files of a folder tree.
//
// Follows symbolic links; one that leads back to a folder above ends there. Leaves out what tools leave behind (file_kind.hpp). Each folder is
// visited in the byte order of its names, whatever the file system says; its names are in memory meanwhile. Failure: code `io` for a folder or a picture that cannot be read; a link to nowhere that is called otherwise is a file of
// 0 bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::pipeline {

class TreeVisitor {
 public:
  virtual ~TreeVisitor() = default;
  // `below` is the path below the root. Return false to end the walk.
  virtual bool file(const std::string& below, std::uint64_t bytes) = 0;
  virtual void folder(const std::string& below) { (void)below; }
};

[[nodiscard]] Status walk_tree(const std::string& root, TreeVisitor& visitor);

// What a folder holds itself. Names in byte order, litter left out; links count as what they lead to.
struct FolderContent {
  std::vector<std::string> folders;
  std::vector<std::string> files;
};
[[nodiscard]] Result<FolderContent> read_folder(const std::string& folder);

[[nodiscard]] bool is_folder(const std::string& path);
[[nodiscard]] bool is_regular_file(const std::string& path);

}  // namespace hotpack::pipeline
