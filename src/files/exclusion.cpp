#include "files/exclusion.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "files/file_list.hpp"

namespace hotpack::pipeline {

Exclusion::Exclusion(const std::vector<std::string>& globs, std::vector<std::string> folders)
    : folders_(std::move(folders)) {
  for (const std::string& given : globs) {
    std::string_view pattern = given;
    while (pattern.starts_with("./")) pattern.remove_prefix(2);
    const bool of_path =
        pattern.substr(0, pattern.find_last_not_of('/') + 1).find('/') != std::string_view::npos;
    while (pattern.ends_with('/')) pattern.remove_suffix(1);
    while (pattern.starts_with('/')) pattern.remove_prefix(1);
    globs_.push_back({given, std::string(pattern), of_path});
  }
  for (std::string& folder : folders_) folder = path_below(folder, "");
}

bool Exclusion::excludes(const std::string& folder, std::string_view name) {
  if (globs_.empty()) return false;
  const std::string path = path_below(folder, name);
  const std::string last(name);
  const auto matches = [&](const Glob& glob, const std::string& below) {
    return ::fnmatch(glob.pattern.c_str(), below.c_str(), FNM_PATHNAME) == 0;
  };
  bool excluded = false;
  const std::lock_guard lock(mutex_);
  for (const std::string& root : folders_) {
    if (!path.starts_with(root)) continue;
    const std::string below = path.substr(root.size());
    for (Glob& glob : globs_) {
      if (!matches(glob, glob.of_path ? below : last)) continue;
      glob.used = true;
      excluded = true;
    }
  }
  if (excluded) excluded_.insert(path);
  return excluded;
}

std::vector<std::string> Exclusion::unused() const {
  std::vector<std::string> unused;
  for (const Glob& glob : globs_)
    if (!glob.used) unused.push_back(glob.given);
  return unused;
}

}  // namespace hotpack::pipeline
