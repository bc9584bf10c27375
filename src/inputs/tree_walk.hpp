// Visits the files of a folder tree.
//
// Follows symbolic links; one that leads back to a folder above ends there. Leaves out what tools leave behind (file_kind.hpp). The order
// is that of the names' bytes, whatever the file system's. Failure: code `io` for a root that cannot be read; what cannot be read below it
// goes to the visitor.
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
  // What is no file: a link to nowhere, a FIFO, a device, or a folder that cannot be read. `why` is for people.
  struct Unusable {
    std::string below, why;
    bool is_folder = false;
  };
  virtual bool unusable(const Unusable& entry) { return (void)entry, true; }
};

[[nodiscard]] Status walk_tree(const std::string& root, TreeVisitor& visitor);

// What a folder holds itself. Names in byte order, junk files left out; links count as what they lead to.
struct FolderContent {
  std::vector<std::string> folders;
  std::vector<std::string> files;
};
[[nodiscard]] Result<FolderContent> read_folder(const std::string& folder);

// What a path that is no regular file is: "is a FIFO", "is a link to x.png, which does not exist". Empty for a file and for a folder.
[[nodiscard]] std::string why_no_file(const std::string& path);

[[nodiscard]] bool is_folder(const std::string& path);
[[nodiscard]] bool is_regular_file(const std::string& path);

}  // namespace hotpack::pipeline
