#include "base/folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

#include "base/error.hpp"
#include "base/try.hpp"

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

// Calls visit(entry, folder) for each entry, in the order of the file system.
template <class Visit>
Status visit_entries(const std::string& path, Visit visit) {
  const std::unique_ptr<DIR, CloseFolder> folder(open_folder(path));
  if (folder == nullptr) return io_error("cannot list the folder", path, errno);
  while (true) {
    errno = 0;
    const dirent* const entry = ::readdir(folder.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") visit(*entry, folder.get());
  }
  if (errno != 0) return io_error("cannot list the folder", path, errno);
  return {};
}

bool is_folder(const dirent& entry, DIR* folder) {
  if (entry.d_type == DT_DIR) return true;
  if (entry.d_type != DT_LNK && entry.d_type != DT_UNKNOWN) return false;
  struct stat status {};
  return ::fstatat(::dirfd(folder), entry.d_name, &status, 0) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

Result<std::vector<std::string>> names_in_folder(const std::string& path) {
  std::vector<std::string> names;
  HOTPACK_TRY(
      visit_entries(path, [&](const dirent& entry, DIR*) { names.emplace_back(entry.d_name); }));
  std::sort(names.begin(), names.end());
  return names;
}

Result<FolderNames> names_by_kind(const std::string& path) {
  FolderNames names;
  HOTPACK_TRY(visit_entries(path, [&](const dirent& entry, DIR* folder) {
    (is_folder(entry, folder) ? names.folders : names.others).emplace_back(entry.d_name);
  }));
  std::sort(names.folders.begin(), names.folders.end());
  std::sort(names.others.begin(), names.others.end());
  return names;
}

}  // namespace hotpack
