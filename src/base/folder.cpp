#include "base/folder.hpp"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/error.hpp"

namespace hotpack {

namespace {

struct CloseFolder {
  void operator()(DIR* folder) const noexcept { ::closedir(folder); }
};

DIR* open_folder(const std::string& path) {
  DIR* folder = nullptr;
  do {
    folder = ::opendir(path.c_str());
  } while (folder == nullptr && errno == EINTR);
  return folder;
}

}  // namespace

Result<std::vector<std::string>> names_in_folder(const std::string& path) {
  const std::unique_ptr<DIR, CloseFolder> folder(open_folder(path));
  if (folder == nullptr) return io_error("cannot list the folder", path, errno);
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* const entry = ::readdir(folder.get());
    if (entry == nullptr) break;
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  if (errno != 0) return io_error("cannot list the folder", path, errno);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace hotpack
