#include "samples/folder_prefixes.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "files/file_list.hpp"
#include "files/key_text.hpp"

namespace hotpack::pipeline {

namespace {

namespace fs = std::filesystem;

std::string normal_path(const std::string& folder) {
  std::error_code failure;
  const fs::path absolute = fs::absolute(folder, failure);
  std::string path = (failure ? fs::path(folder) : absolute).lexically_normal().string();
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

Status check_apart(const std::vector<std::string>& folders, const std::vector<std::string>& paths) {
  for (std::size_t i = 0; i < paths.size(); ++i)
    for (std::size_t j = 0; j < paths.size(); ++j) {
      if (i == j) continue;
      if (paths[i] == paths[j])
        return usage_error(quoted_text(folders[i]) + " and " + quoted_text(folders[j]) +
                           " are the same folder; give it once");
      if (paths[j].starts_with(path_below(paths[i], "")))
        return usage_error(quoted_text(folders[j]) + " is within " + quoted_text(folders[i]) +
                           ", so its samples would be packed twice; give one of the two");
    }
  return {};
}

// The last `count` parts of a path, or all.
std::string last_parts(const std::string& path, std::size_t count) {
  std::size_t begin = path.size();
  for (; count > 0 && begin != 0; --count) {
    const std::size_t slash = path.rfind('/', begin - 1);
    begin = slash == std::string::npos ? 0 : slash;
  }
  return path.substr(std::min(path.find_first_not_of('/', begin), path.size()));
}

}  // namespace

Result<std::vector<std::string>> folder_prefixes(const std::vector<std::string>& folders) {
  std::vector<std::string> paths;
  paths.reserve(folders.size());
  for (const std::string& folder : folders) paths.push_back(normal_path(folder));
  std::vector<std::string> real;
  real.reserve(paths.size());
  for (const std::string& path : paths) {
    std::error_code failure;
    const fs::path target = fs::canonical(path, failure);
    real.push_back(failure ? path : target.string());
  }
  HOTPACK_TRY(check_apart(folders, real));
  std::vector<std::string> prefixes;
  prefixes.reserve(folders.size());
  for (std::size_t parts = 1; prefixes.size() < folders.size(); ++parts) {
    prefixes.clear();
    std::set<std::string> different;
    for (const std::string& path : paths) {
      prefixes.push_back(last_parts(path, parts));
      different.insert(prefixes.back());
    }
    if (different.size() < paths.size()) prefixes.clear();
  }
  for (std::size_t i = 0; i < folders.size(); ++i)
    if (!valid_key_prefix(prefixes[i] + "/"))
      return usage_error("the name of " + quoted_text(folders[i]) +
                         " cannot be the prefix of keys; rename the folder to UTF-8 without "
                         "control characters");
  return prefixes;
}

}  // namespace hotpack::pipeline
