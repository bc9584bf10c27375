// A folder and the files written below it: none ever lands outside, whatever names and links are there.
//
// Names are relative paths with "/". Folders below are made where they are missing, and never entered through a link; a file appears whole
// or not at all, and a link in its place is replaced itself, not what it points to. Files are not forced to disk: a result can be made
// again. Ownership: owns the descriptor of the folder. Thread-safety: write() from several threads at once. Failure: `usage` for what is in
// the way (a file that may not be replaced, a link, a file where a folder is needed), `data` where two names of this run are one for the
// file system (letters of another case, another form of Unicode), `io`.
#pragma once

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "hotpack/result.hpp"

namespace hotpack::cli {

class OutputTree {
 public:
  // The folder itself may be a link, or lie behind some: it is what the user named. Made where it is missing.
  [[nodiscard]] static Result<std::unique_ptr<OutputTree>> open(const std::string& path);
  ~OutputTree();
  OutputTree(const OutputTree&) = delete;
  OutputTree& operator=(const OutputTree&) = delete;

  // `replace`: a file of that name that was there before gives way.
  [[nodiscard]] Status write(const std::string& name, std::string_view content, bool replace);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  OutputTree(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  [[nodiscard]] Status put(int folder, const std::string& temporary, const std::string& last, const std::string& name, bool replace);

  std::string path_;
  int descriptor_;
  std::mutex naming_;                          // held while a file gets its name
  std::set<std::pair<dev_t, ino_t>> written_;  // by this run
};

}  // namespace hotpack::cli
