#include "files/tree_walk.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "files/file_kind.hpp"
#include "files/file_list.hpp"
#include "files/scan_scope.hpp"

namespace hotpack::pipeline {

namespace {

// Entries of a folder that are examined at once, and entries of the folders found in it that are
// examined ahead. A walk begins with fewer, because many visitors end it soon.
constexpr std::size_t kAtOnce = 4096;
constexpr std::size_t kFirstAhead = 128, kMostAhead = 65536, kAheadGrowth = 8;

struct Entry {
  std::string name;
  unsigned char type = DT_UNKNOWN;  // DT_REG, DT_DIR, … as the folder itself says
};
using Entries = std::vector<Entry>;

// The entries of a folder in byte order of names, without junk files and what --exclude leaves out.
Result<Entries> read_entries(const std::string& folder, Exclusion* exclusion) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  if (!open) return io_error("cannot read the input folder", folder, errno);
  Entries entries;
  errno = 0;
  while (const dirent* const entry = ::readdir(open.get())) {
    const bool excluded = exclusion != nullptr && exclusion->excludes(folder, entry->d_name);
    if (!excluded && !is_junk(entry->d_name)) entries.push_back({entry->d_name, entry->d_type});
    errno = 0;
  }
  if (errno != 0) return io_error("cannot read the input folder", folder, errno);
  std::ranges::sort(entries, {}, &Entry::name);
  return entries;
}

Exclusion* exclusion_of_thread() {
  const ScanScope* const scope = ScanScope::current();
  return scope == nullptr ? nullptr : scope->exclusion();
}

using Identity = std::pair<dev_t, ino_t>;

struct Folder;

// What an entry is.
struct Fact {
  enum class Kind { unknown, file, folder, unusable } kind = Kind::unknown;
  std::uint64_t bytes = 0;
  std::unique_ptr<Folder> folder;  // null for a link back to a parent folder
  std::string why;
};

struct Folder {
  std::string prefix;               // of the paths of its entries below the root
  std::vector<Identity> ancestors;  // of this folder and those that it is in
  Entries entries;
  std::string failure;      // why the folder cannot be read
  std::vector<Fact> facts;  // of entries that are examined, and that the visitor has not seen
};

// The visitor sees one entry after the other, in the order of names. The entries that it will see
// next are examined together, level by level, by several threads if the file system is slow.
class Walk {
 public:
  Walk(std::string root, TreeVisitor& visitor)
      : root_(std::move(root)), visitor_(visitor), needs_sizes_(visitor.needs_sizes()) {}

  Status run() {
    struct stat status {};
    if (::stat(root_.c_str(), &status) != 0)
      return io_error("cannot read the input folder", root_, errno);
    if (!S_ISDIR(status.st_mode)) return Error{ErrorCode::io, "is not a folder", root_, {}};
    Folder top{"", {{status.st_dev, status.st_ino}}, {}, {}, {}};
    HOTPACK_ASSIGN(top.entries, read_entries(root_, exclusion_));
    visit_all(top);
    return stopped_;
  }

 private:
  // False if the visitor, or a stop, ends the walk.
  bool visit_all(Folder& folder) {
    for (std::size_t next = 0; next < folder.entries.size();) {
      if (folder.facts.empty()) stopped_ = look_ahead(folder, next);
      if (!stopped_.ok()) return false;
      std::vector<Fact> facts = std::exchange(folder.facts, {});
      for (Fact& fact : facts)
        if (!visit(folder.prefix + folder.entries[next++].name, std::move(fact))) return false;
      stopped_ = count_scanned(facts.size());
    }
    return stopped_.ok();
  }

  bool visit(const std::string& below, Fact fact) {
    if (fact.kind == Fact::Kind::unusable) return visitor_.unusable({below, fact.why, false});
    if (fact.kind == Fact::Kind::file) return visitor_.file(below, fact.bytes);
    visitor_.folder(below);
    if (!fact.folder) return true;
    return fact.folder->failure.empty() ? visit_all(*fact.folder)
                                        : visitor_.unusable({below, fact.folder->failure, true});
  }

  struct Task {
    const Folder* folder;
    const Entry* entry;
    Fact* fact;
  };

  // Examines entries of a folder from the entry `next` on, and all that is below them.
  Status look_ahead(Folder& folder, std::size_t next) {
    std::vector<Folder*> level{&folder};
    listed_ = 0;
    for (std::size_t first = next; !level.empty(); first = 0) {
      std::vector<Task> tasks;
      for (Folder* const each : level) {
        each->facts.resize(std::min(kAtOnce, each->entries.size() - first));
        for (std::size_t i = 0; i < each->facts.size(); ++i)
          tasks.push_back({each, &each->entries[first + i], &each->facts[i]});
      }
      HOTPACK_TRY(for_each_file(tasks.size(), [&](std::size_t i) {
        if (i == 0 || listed_ < most_ahead_) *tasks[i].fact = fact_of(tasks[i]);
      }));
      level.clear();
      for (const Task& task : tasks)
        if (task.fact->folder) level.push_back(task.fact->folder.get());
    }
    most_ahead_ = std::min(most_ahead_ * kAheadGrowth, kMostAhead);
    keep_complete(folder, true);
    return {};
  }

  // Drops the facts from the first one on that lacks facts about what is below it, to find them
  // later together with those of its neighbors. If `first` is true, the first fact stays. Returns
  // true if all facts stay.
  static bool keep_complete(Folder& folder, bool first) {
    std::size_t kept = 0;
    for (Fact& fact : folder.facts) {
      if (fact.kind == Fact::Kind::unknown) break;
      const bool complete = !fact.folder || keep_complete(*fact.folder, first && kept == 0);
      if (!complete && !(first && kept == 0)) break;
      ++kept;
      if (!complete) break;
    }
    folder.facts.erase(folder.facts.begin() + static_cast<std::ptrdiff_t>(kept),
                       folder.facts.end());
    return kept == folder.entries.size();
  }

  [[nodiscard]] Fact fact_of(const Task& task) {
    if (!needs_sizes_ && task.entry->type == DT_REG) return {Fact::Kind::file, 0, nullptr, {}};
    const std::string below = task.folder->prefix + task.entry->name;
    const std::string path = path_below(root_, below);
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode))
      return {Fact::Kind::file, static_cast<std::uint64_t>(status.st_size), nullptr, {}};
    if (!S_ISDIR(status.st_mode)) return {Fact::Kind::unusable, 0, nullptr, why_no_file(path)};
    const Identity identity{status.st_dev, status.st_ino};
    std::vector<Identity> ancestors = task.folder->ancestors;
    if (std::ranges::find(ancestors, identity) != ancestors.end())
      return {Fact::Kind::folder, 0, nullptr, {}};
    ancestors.push_back(identity);
    auto folder = std::make_unique<Folder>(Folder{below + "/", std::move(ancestors), {}, {}, {}});
    Result<Entries> entries = read_entries(path, exclusion_);
    if (entries.ok())
      folder->entries = std::move(entries).value();
    else
      folder->failure = entries.error().message;
    listed_ += folder->entries.size();
    return {Fact::Kind::folder, 0, std::move(folder), {}};
  }

  const std::string root_;
  TreeVisitor& visitor_;
  const bool needs_sizes_;
  Exclusion* const exclusion_ = exclusion_of_thread();
  Status stopped_;
  std::size_t most_ahead_ = kFirstAhead;
  std::atomic<std::size_t> listed_ = 0;  // entries of folders that look_ahead() has found
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
  HOTPACK_ASSIGN(Entries entries, read_entries(folder, exclusion_of_thread()));
  for (Entry& entry : entries) {
    const bool type_is_known = entry.type == DT_DIR || entry.type == DT_REG;
    const bool is_a_folder =
        type_is_known ? entry.type == DT_DIR : is_folder(path_below(folder, entry.name));
    (is_a_folder ? content.folders : content.files).push_back(std::move(entry.name));
  }
  return content;
}

std::vector<std::optional<std::uint64_t>> sizes_of(const std::vector<std::string>& paths) {
  std::vector<std::optional<std::uint64_t>> sizes(paths.size());
  // A stop leaves out sizes. The caller goes on to count_scanned(), which reports it.
  (void)for_each_file(paths.size(), [&](std::size_t i) {
    struct stat status {};
    if (!paths[i].empty() && ::stat(paths[i].c_str(), &status) == 0 && S_ISREG(status.st_mode))
      sizes[i] = static_cast<std::uint64_t>(status.st_size);
  });
  return sizes;
}

std::string why_no_file(const std::string& path) {
  const mode_t mode = mode_of(path);
  const int failure = errno;
  if (S_ISREG(mode) || S_ISDIR(mode)) return "";
  if (S_ISFIFO(mode)) return "is a FIFO, not a file";
  if (S_ISSOCK(mode)) return "is a socket";
  if (mode != 0) return S_ISCHR(mode) || S_ISBLK(mode) ? "is a device" : "is no regular file";
  std::string unreadable = "cannot be read: " + std::generic_category().message(failure);
  std::error_code no_link;
  const std::string target = std::filesystem::read_symlink(path, no_link).string();
  if (no_link) return unreadable;
  return "is a link to " + target + ", which " +
         (failure == ENOENT ? "does not exist" : unreadable);
}

bool is_folder(const std::string& path) { return S_ISDIR(mode_of(path)); }
bool is_regular_file(const std::string& path) { return S_ISREG(mode_of(path)); }

}  // namespace hotpack::pipeline
