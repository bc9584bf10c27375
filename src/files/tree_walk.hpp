// Visits the files of a folder tree, and asks for the kinds and sizes of files.
//
// A visit follows symbolic links, except those back to a parent folder. Ignores junk files
// (file_kind.hpp). Visits names in byte order on every file system, from one thread, the caller's.
// Other threads (scan_scope.hpp) look ahead while the file system lets them wait. Failure: code
// `io` for a root that cannot be read. Entries below it that cannot be read go to the visitor's
// unusable().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::pipeline {

class TreeVisitor {
 public:
  virtual ~TreeVisitor() = default;
  // False if file() may be told 0 bytes, which saves a call of the system for most files.
  [[nodiscard]] virtual bool needs_sizes() const { return true; }
  // `below` is the path below the root. Return false to end the visit.
  virtual bool file(const std::string& below, std::uint64_t bytes) = 0;
  virtual void folder(const std::string& below) { (void)below; }
  // An entry of a folder that is no usable file: a link to nowhere, a FIFO, a device, or a folder
  // that cannot be read. `why` says so in words for people.
  struct Unusable {
    std::string below, why;
    bool is_folder = false;
  };
  virtual bool unusable(const Unusable& entry) { return (void)entry, true; }
};

[[nodiscard]] Status walk_tree(const std::string& root, TreeVisitor& visitor);

// The entries directly in a folder, divided into kinds: names in byte order, without junk files. A
// link counts as what it points to.
struct FolderContent {
  std::vector<std::string> folders;
  std::vector<std::string> files;
};
[[nodiscard]] Result<FolderContent> read_folder(const std::string& folder);

// Returns the size of each path; nothing for an empty path, and for one that names no regular file.
[[nodiscard]] std::vector<std::optional<std::uint64_t>> sizes_of(
    const std::vector<std::string>& paths);

// Returns why a path is no regular file, such as "is a FIFO" or "is a link to x.png, which does not
// exist". Returns "" for a file and for a folder.
[[nodiscard]] std::string why_no_file(const std::string& path);

[[nodiscard]] bool is_folder(const std::string& path);
[[nodiscard]] bool is_regular_file(const std::string& path);

}  // namespace hotpack::pipeline
