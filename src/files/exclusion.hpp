// The files and folders that --exclude leaves out of all scans.
//
// A glob without '/' is matched with the names of files and folders at every depth, any other with
// paths below an input folder; * and ? match no '/'. A folder that matches is left out with all
// that is in it. Thread-safe. Failure: none.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace hotpack::pipeline {

class Exclusion {
 public:
  // `folders` are the input folders, as scans get them.
  Exclusion(const std::vector<std::string>& globs, std::vector<std::string> folders);

  // True if the entry `name` of `folder` is left out; such entries are counted, each once.
  [[nodiscard]] bool excludes(const std::string& folder, std::string_view name);

  [[nodiscard]] std::uint64_t count() const { return excluded_.size(); }
  // The globs that matched nothing, as they were given.
  [[nodiscard]] std::vector<std::string> unused() const;

 private:
  struct Glob {
    std::string given;
    std::string pattern;  // without '/' at its ends
    bool of_path = false;
    bool used = false;
  };

  std::vector<Glob> globs_;
  std::vector<std::string> folders_;  // ending with '/'
  std::mutex mutex_;                  // guards what follows, and Glob::used
  std::unordered_set<std::string> excluded_;
};

}  // namespace hotpack::pipeline
