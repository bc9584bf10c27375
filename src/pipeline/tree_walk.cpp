#include "pipeline/tree_walk.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "pipeline/file_kind.hpp"
#include "pipeline/file_list.hpp"

namespace hotpack::pipeline {

namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

struct Entry {
  std::string name;
  unsigned char type = DT_UNKNOWN;
};

// What a folder holds, but for litter, in the order of names: file systems list them in orders of their own.
Result<std::vector<Entry>> entries_of(const std::string& path) {
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir(path.c_str()));
  if (!folder) return io_error("cannot read the input folder", path, errno);
  std::vector<Entry> entries;
  while (true) {
    errno = 0;
    const dirent* const entry = ::readdir(folder.get());
    if (entry == nullptr) break;
    if (!is_litter(entry->d_name)) entries.push_back({entry->d_name, entry->d_type});
  }
  if (errno != 0) return io_error("cannot read the input folder", path, errno);
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

// Calls `visit(entry)`, a Result<bool>, for each entry, until it says false; gives what it said last.
template <class Visit>
Result<bool> visit_entries(const std::string& path, Visit visit) {
  HOTPACK_ASSIGN(const std::vector<Entry> entries, entries_of(path));
  for (const Entry& entry : entries) {
    HOTPACK_ASSIGN(const bool go_on, visit(entry));
    if (!go_on) return false;
  }
  return true;
}

class Walk {
 public:
  Walk(std::string root, TreeVisitor& visitor) : root_(std::move(root)), visitor_(visitor) {}

  Status run() {
    struct stat status {};
    if (::stat(root_.c_str(), &status) != 0) return io_error("cannot read the input folder", root_, errno);
    if (!S_ISDIR(status.st_mode)) return Error{ErrorCode::io, "is not a folder", root_, {}};
    HOTPACK_TRY(walk_folder("", status));
    return {};
  }

 private:
  using Identity = std::pair<dev_t, ino_t>;

  Result<bool> walk_folder(const std::string& below, const struct stat& status) {
    const Identity identity{status.st_dev, status.st_ino};
    if (!above_.insert(identity).second) return true;  // a symbolic link back to a folder that we are in
    const std::string prefix = below.empty() ? "" : below + "/";
    const auto visit = [&](const Entry& entry) { return walk_entry(prefix + entry.name); };
    Result<bool> go_on = visit_entries(below.empty() ? root_ : path_below(root_, below), visit);
    above_.erase(identity);
    return go_on;
  }

  Result<bool> walk_entry(const std::string& below) {
    const std::string path = path_below(root_, below);
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
      const bool matters = errno != ENOENT || describe_name(below).kind == FileKind::picture;
      return matters ? Result<bool>(io_error("cannot read", path, errno)) : visitor_.file(below, 0);
    }
    if (S_ISDIR(status.st_mode)) {
      visitor_.folder(below);
      return walk_folder(below, status);
    }
    return !S_ISREG(status.st_mode) || visitor_.file(below, static_cast<std::uint64_t>(status.st_size));
  }

  std::string root_;
  TreeVisitor& visitor_;
  std::set<Identity> above_;  // the folders from the root to here
};

mode_t mode_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode : 0;
}

}  // namespace

Status walk_tree(const std::string& root, TreeVisitor& visitor) { return Walk(root, visitor).run(); }

Result<FolderContent> read_folder(const std::string& folder) {
  FolderContent content;
  HOTPACK_TRY(visit_entries(folder, [&](const Entry& entry) -> Result<bool> {
    const bool type_is_known = entry.type == DT_DIR || entry.type == DT_REG;
    const bool is_a_folder = type_is_known ? entry.type == DT_DIR : is_folder(path_below(folder, entry.name));
    (is_a_folder ? content.folders : content.files).push_back(entry.name);
    return true;
  }));
  return content;
}

bool is_folder(const std::string& path) { return S_ISDIR(mode_of(path)); }
bool is_regular_file(const std::string& path) { return S_ISREG(mode_of(path)); }

}  // namespace hotpack::pipeline
