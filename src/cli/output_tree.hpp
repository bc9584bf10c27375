// A folder and the files written below it: no file is written outside, whatever the names and links
// are.
//
// Names are relative paths with "/". Missing folders are created, and never entered through a link;
// a file appears complete or not at all, and replaces a link of its name, not the target of the
// link. Files are not forced to disk: they can be made again. Ownership: owns the descriptor of the
// folder. Thread-safety: write() may be called from several threads at once. Failure: `usage` for a
// file that may not be replaced, a link, or a file where a folder is needed; `data` if the file
// system does not distinguish two names of this run; `io`.
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
  // The path of the folder itself, which the user gave, may contain links. Created if missing.
  [[nodiscard]] static Result<std::unique_ptr<OutputTree>> open(const std::string& path);
  ~OutputTree();
  OutputTree(const OutputTree&) = delete;
  OutputTree& operator=(const OutputTree&) = delete;

  // `replace`: replaces a file of that name that existed before.
  [[nodiscard]] Status write(const std::string& name, std::string_view content, bool replace);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  OutputTree(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  [[nodiscard]] Status put(int folder, const std::string& temporary, const std::string& last,
                           const std::string& name, bool replace);

  std::string path_;
  int descriptor_;
  std::mutex naming_;                          // held while a file gets its name
  std::set<std::pair<dev_t, ino_t>> written_;  // by this run
};

}  // namespace hotpack::cli
