#include "inputs/tree_walk.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "inputs/file_kind.hpp"
#include "inputs/file_list.hpp"

namespace hotpack::pipeline {

namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

struct Entry {
  std::string name;
  unsigned char type = DT_UNKNOWN;
};

// The entries that are no junk files, in the order of their names.
Result<std::vector<Entry>> entries_of(const std::string& path) {
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir(path.c_str()));
  std::vector<Entry> entries;
  if (!folder) return io_error("cannot read the input folder", path, errno);
  while (true) {
    errno = 0;
    const dirent* const entry = ::readdir(folder.get());
    if (entry == nullptr) break;
    if (!is_junk(entry->d_name)) entries.push_back({entry->d_name, entry->d_type});
  }
  if (errno != 0) return io_error("cannot read the input folder", path, errno);
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

std::string link_text(const std::string& path) {
  std::error_code failure;
  const std::filesystem::path target = std::filesystem::read_symlink(path, failure);
  return failure ? "is a link" : "is a link to " + target.string();
}

std::string_view special_name(mode_t mode) {
  if (S_ISFIFO(mode)) return "is a FIFO, not a file";
  if (S_ISSOCK(mode)) return "is a socket";
  return S_ISCHR(mode) || S_ISBLK(mode) ? "is a device" : "is no regular file";
}

class Walk {
 public:
  Walk(std::string root, TreeVisitor& visitor) : root_(std::move(root)), visitor_(visitor) {}

  Status run() {
    struct stat status {};
    if (::stat(root_.c_str(), &status) != 0)
      return io_error("cannot read the input folder", root_, errno);
    if (!S_ISDIR(status.st_mode)) return Error{ErrorCode::io, "is not a folder", root_, {}};
    HOTPACK_ASSIGN(const std::vector<Entry> entries, entries_of(root_));
    above_.insert({status.st_dev, status.st_ino});
    visit_all("", entries);
    return {};
  }

 private:
  using Identity = std::pair<dev_t, ino_t>;

  bool visit_all(const std::string& prefix, const std::vector<Entry>& entries) {
    return std::all_of(entries.begin(), entries.end(),
                       [&](const Entry& entry) { return walk_entry(prefix + entry.name); });
  }

  bool walk_folder(const std::string& below, const struct stat& status) {
    const Identity identity{status.st_dev, status.st_ino};
    if (!above_.insert(identity).second) return true;  // a symbolic link back to a parent folder
    const Result<std::vector<Entry>> entries = entries_of(path_below(root_, below));
    const bool go_on = entries.ok() ? visit_all(below + "/", *entries)
                                    : visitor_.unusable({below, entries.error().message, true});
    above_.erase(identity);
    return go_on;
  }

  bool walk_entry(const std::string& below) {
    const std::string path = path_below(root_, below);
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
      return visitor_.unusable({below, why_no_file(path), false});
    if (S_ISREG(status.st_mode))
      return visitor_.file(below, static_cast<std::uint64_t>(status.st_size));
    if (!S_ISDIR(status.st_mode))
      return visitor_.unusable({below, std::string(special_name(status.st_mode)), false});
    visitor_.folder(below);
    return walk_folder(below, status);
  }

  std::string root_;
  TreeVisitor& visitor_;
  std::set<Identity> above_;  // the folders from the root to the current one
};

mode_t mode_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode : 0;
}

}  // namespace

Status walk_tree(const std::string& root, TreeVisitor& visitor) {
  return Walk(root, visitor).run();
}

Result<FolderContent> read_folder(const std::string& folder) {
  FolderContent content;
  HOTPACK_ASSIGN(std::vector<Entry> entries, entries_of(folder));
  for (Entry& entry : entries) {
    const bool type_is_known = entry.type == DT_DIR || entry.type == DT_REG;
    const bool is_a_folder =
        type_is_known ? entry.type == DT_DIR : is_folder(path_below(folder, entry.name));
    (is_a_folder ? content.folders : content.files).push_back(std::move(entry.name));
  }
  return content;
}

std::string why_no_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0)
    return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)
               ? std::string()
               : std::string(special_name(status.st_mode));
  const int failure = errno;
  const bool is_link = ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
  if (!is_link) return std::string("cannot be read: ") + std::strerror(failure);
  return link_text(path) + (failure == ENOENT
                                ? ", which does not exist"
                                : std::string(", which cannot be read: ") + std::strerror(failure));
}

bool is_folder(const std::string& path) { return S_ISDIR(mode_of(path)); }
bool is_regular_file(const std::string& path) { return S_ISREG(mode_of(path)); }

}  // namespace hotpack::pipeline
