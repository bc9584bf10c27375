// Writes files below one folder, and never outside it, whatever names and links exist.
//
// Names are relative paths with "/". Missing folders are created; a link to a folder is never
// followed. A file appears complete or not at all. If a link has the file's name, the link itself
// is replaced, not the file that it points to. Files are not flushed to disk, because they can be
// made again.
//
// Ownership: owns the descriptor of the folder. Thread-safety: write() and remove() may be called
// from several threads at once. Failure: `usage` if an existing file may not be replaced, or if a
// link or a file is found where a folder is needed; `data` if the file system does not distinguish
// two names of this run; `io`.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "hotpack/result.hpp"

namespace hotpack::cli {

class OutputTree {
 public:
  // Opens the folder that the user named; creates it if it is missing. Its path may contain links.
  [[nodiscard]] static Result<std::unique_ptr<OutputTree>> open(const std::string& path);
  ~OutputTree();
  OutputTree(const OutputTree&) = delete;
  OutputTree& operator=(const OutputTree&) = delete;

  // Writes the file `name`. If `replace` is false, a file of this name that existed before this run
  // of the program is an error.
  [[nodiscard]] Status write(const std::string& name, std::string_view content, bool replace);
  // Removes a file if this run has written it, and it replaced no older file. Never reports.
  void remove(const std::string& name);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  OutputTree(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  // A file that this run of the program has written.
  struct Written {
    FileIdentity identity;
    bool has_replaced = false;  // an older file
  };
  // The entry of written_ for a file; null if this run has not written it.
  [[nodiscard]] const Written* find_written(int folder, const std::string& name,
                                            const struct stat& found) const;
  [[nodiscard]] Status put(int folder, const std::string& temporary, const std::string& last,
                           const std::string& name, bool replace);

  std::string path_;
  int descriptor_;
  std::mutex naming_;  // held while a file gets its name
  std::map<std::pair<std::uint64_t, std::uint64_t>, Written> written_;  // by device and inode
};

}  // namespace hotpack::cli
