// Lists the picture files below input folders.
//
// Follows symbolic links (one that leads back to a folder above ends there). Leaves out what tools leave behind: names that start with a
// dot, Thumbs.db, desktop.ini, __MACOSX, and files whose extension is no picture's (READMEs, lists). Order of the result is unspecified.
// Failure: code `io` for a folder that cannot be read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"
#include "pipeline/problem.hpp"

namespace hotpack::pipeline {

// An input folder, and what its keys begin with.
struct Root {
  std::string folder;
  std::string key_prefix;  // empty, or ending with '/'
};

// Text of many files in one allocation: a file's text is its root's key prefix and its path below the root.
class TextArena {
 public:
  // Returns where the text starts.
  std::uint64_t add(std::string_view first, std::string_view second);
  [[nodiscard]] std::string_view view(std::uint64_t offset, std::uint32_t length) const {
    return std::string_view(text_).substr(offset, length);
  }

  [[nodiscard]] std::uint64_t memory_bytes() const { return text_.capacity(); }

 private:
  std::string text_;
};

struct FoundFile {
  std::uint64_t text = 0;   // in the arena
  std::uint64_t bytes = 0;  // size of the file
  std::uint32_t text_length = 0;
  std::uint32_t key_length = 0;  // the key is the first key_length bytes of the text
  std::uint16_t root = 0;
};

struct FileList {
  TextArena arena;
  std::vector<FoundFile> files;
  std::vector<Root> roots;
  std::uint64_t other_files = 0;           // left out because their extension is no picture's
  std::vector<std::string> class_folders;  // scan_class_folders only: names, each once, in byte order

  [[nodiscard]] std::string_view text(const FoundFile& file) const { return arena.view(file.text, file.text_length); }
  [[nodiscard]] std::string_view key(const FoundFile& file) const { return arena.view(file.text, file.key_length); }
  [[nodiscard]] std::string path(const FoundFile& file) const;
};

// Pictures below `roots`; `suffix` is stripped at the end of the stem, and files whose stem does not end with it are left out (other
// kinds of label often stand beside). Unsupported formats and names that are not UTF-8 go to `problems`.
[[nodiscard]] Result<FileList> scan_pictures(const std::vector<Root>& roots, std::string_view suffix, ProblemLog& problems);

// The same for folders of class folders: a file directly in a root belongs to no class and is a problem; class folders without
// pictures stay in class_folders.
[[nodiscard]] Result<FileList> scan_class_folders(const std::vector<Root>& roots, std::string_view suffix, ProblemLog& problems);

}  // namespace hotpack::pipeline
