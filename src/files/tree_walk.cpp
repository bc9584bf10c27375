#include "files/tree_walk.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "files/file_kind.hpp"
#include "files/file_list.hpp"
#include "files/scan_scope.hpp"
#include "settings/io_threads.hpp"

namespace hotpack::pipeline {

namespace {

std::string_view special_name(mode_t mode) {
  if (S_ISFIFO(mode)) return "is a FIFO, not a file";
  if (S_ISSOCK(mode)) return "is a socket";
  return S_ISCHR(mode) || S_ISBLK(mode) ? "is a device" : "is no regular file";
}

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
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

using Identity = std::pair<dev_t, ino_t>;

// How many entries a thread examines at once. Few, so that many threads have work in a folder of a
// thousand files.
constexpr std::size_t kBatch = 32;
// The number of entries that the threads examine ahead of the visitor.
constexpr std::size_t kMostAhead = 16384;

struct Folder;

// What an entry is.
struct Fact {
  enum class Kind { file, folder, unusable } kind = Kind::file;
  std::uint64_t bytes = 0;
  std::shared_ptr<Folder> folder;  // null for a link back to a parent folder
  std::string why;
};
using Facts = std::vector<Fact>;

struct Folder {
  std::string below;                // the path below the root; "" for the root
  std::vector<Identity> ancestors;  // of this folder and those that it is in

  // Set by the thread that lists the folder; the lock of the walk guards `listed` and what follows.
  Entries entries;
  std::optional<Error> failure;
  bool listed = false;
  std::map<std::size_t, Facts> facts;  // of batches that the visitor has not seen

  [[nodiscard]] std::string prefix() const { return below.empty() ? "" : below + "/"; }
  [[nodiscard]] std::size_t batches() const { return (entries.size() + kBatch - 1) / kBatch; }
};

// The visitor sees one entry after the other, in the order of names. Other threads list folders and
// examine entries before the visitor comes to them, those first that it will need first.
//
// The caller's thread runs the visitor. If nobody has begun with what it needs, it does that
// itself, so that no other thread is needed at all.
class Walk {
 public:
  Walk(std::string root, TreeVisitor& visitor)
      : root_(std::move(root)),
        visitor_(visitor),
        needs_sizes_(visitor.needs_sizes()),
        scope_(ScanScope::current()),
        threads_(scope_ == nullptr ? 1 : scope_->io_threads(), [this] { help(); }) {}
  ~Walk() { end(); }
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  Status run() {
    struct stat status {};
    if (::stat(root_.c_str(), &status) != 0)
      return io_error("cannot read the input folder", root_, errno);
    if (!S_ISDIR(status.st_mode)) return Error{ErrorCode::io, "is not a folder", root_, {}};
    const auto top =
        std::make_shared<Folder>(Folder{"", {{status.st_dev, status.st_ino}}, {}, {}, false, {}});
    if (scope_ != nullptr) threads_.grow_to(scope_->useful_threads());
    submit(Lock(mutex_), {top, kListing});
    if (!wait_for(*top, kListing)) return stopped_;
    if (top->failure) return *top->failure;
    visit_all(*top);
    end();
    threads_.join();
    if (scope_ != nullptr) scope_->set_useful_threads(threads_.count());
    return stopped_;
  }

 private:
  static constexpr std::size_t kListing = static_cast<std::size_t>(-1);
  struct Task {
    std::shared_ptr<Folder> folder;
    std::size_t batch = kListing;
  };
  // By the place in the order of the visit: the path with a NUL byte, the lowest, between names.
  using Tasks = std::map<std::string, Task>;
  using Lock = std::unique_lock<std::mutex>;

  // ---- the visitor's thread

  // False if the visitor, or a stop, ends the walk.
  bool visit_all(Folder& folder) {
    const std::string prefix = folder.prefix();
    for (std::size_t batch = 0; batch < folder.batches(); ++batch) {
      if (!wait_for(folder, batch)) return false;
      Facts facts = take_facts(folder, batch);
      for (std::size_t i = 0; i < facts.size(); ++i) {
        if (!visit(prefix + folder.entries[batch * kBatch + i].name, facts[i])) return false;
      }
      if (!is_told(facts.size())) return false;
    }
    return true;
  }

  bool visit(const std::string& below, Fact& fact) {
    if (fact.kind == Fact::Kind::unusable) return visitor_.unusable({below, fact.why, false});
    if (fact.kind == Fact::Kind::file) return visitor_.file(below, fact.bytes);
    visitor_.folder(below);
    const std::shared_ptr<Folder> folder = std::move(fact.folder);
    if (!folder) return true;
    if (!wait_for(*folder, kListing)) return false;
    return folder->failure ? visitor_.unusable({below, folder->failure->message, true})
                           : visit_all(*folder);
  }

  bool is_told(std::size_t entries) {
    if (scope_ == nullptr) return true;
    scope_->count(entries);
    stopped_ = scope_->go_on();
    return stopped_.ok();
  }

  // Waits for a listing or a batch; false if a stop is requested meanwhile.
  bool wait_for(Folder& folder, std::size_t batch) {
    constexpr std::chrono::milliseconds kTellEvery{50};
    Lock lock(mutex_);
    while (!is_done(folder, batch)) {
      if (failure_) std::rethrow_exception(failure_);
      if (const auto place = tasks_.find(place_of(folder, batch)); place != tasks_.end()) {
        run_task(place, lock);
      } else if (done_.wait_for(lock, kTellEvery) == std::cv_status::timeout) {
        lock.unlock();
        if (!is_told(0)) return false;
        lock.lock();
      }
    }
    return true;
  }

  static bool is_done(const Folder& folder, std::size_t batch) {
    return batch == kListing ? folder.listed : folder.facts.contains(batch);
  }

  Facts take_facts(Folder& folder, std::size_t batch) {
    const Lock lock(mutex_);
    Facts facts = std::move(folder.facts.extract(batch).mapped());
    ahead_ -= facts.size();
    if (idle_ > 0) work_.notify_one();
    return facts;
  }

  // Makes the other threads end.
  void end() {
    const Lock lock(mutex_);
    ended_ = true;
    work_.notify_all();
  }

  // ---- the other threads

  void help() {
    Lock lock(mutex_);
    try {
      while (!ended_)
        if (!tasks_.empty() && ahead_ < kMostAhead) {
          run_task(tasks_.begin(), lock);  // what the visitor will need first
        } else {
          ++idle_;
          work_.wait(lock);
          --idle_;
        }
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      failure_ = std::current_exception();
      done_.notify_one();
    }
  }

  void run_task(Tasks::iterator place, Lock& lock) {
    const Task task = std::move(place->second);
    tasks_.erase(place);
    const WaitMeter meter;
    task.batch == kListing ? list(task.folder, lock) : examine(task.folder, task.batch, lock);
    done_.notify_one();
    if (meter.waited()) threads_.add_one();
  }

  // Precondition for these functions: the lock is held; it is again when they return.

  void list(const std::shared_ptr<Folder>& folder, Lock& lock) {
    lock.unlock();
    Result<Entries> entries =
        read_entries(path_of(folder->below), scope_ == nullptr ? nullptr : scope_->exclusion());
    lock.lock();
    if (entries.ok())
      folder->entries = std::move(entries).value();
    else
      folder->failure = std::move(entries).error();
    folder->listed = true;
    if (folder->batches() > 0) submit(lock, {folder, 0});
  }

  void examine(const std::shared_ptr<Folder>& folder, std::size_t batch, Lock& lock) {
    const std::size_t first = batch * kBatch;
    const std::size_t count = std::min(kBatch, folder->entries.size() - first);
    ahead_ += count;
    if (batch + 1 < folder->batches()) submit(lock, {folder, batch + 1});
    lock.unlock();
    Facts facts(count);
    for (std::size_t i = 0; i < count; ++i) facts[i] = fact_of(folder, first + i);
    lock.lock();
    for (const Fact& fact : facts)
      if (fact.folder) submit(lock, {fact.folder, kListing});
    folder->facts.emplace(batch, std::move(facts));
  }

  void submit(const Lock&, Task task) {
    std::string place = place_of(*task.folder, task.batch);
    tasks_.emplace(std::move(place), std::move(task));
    if (idle_ > 0) work_.notify_one();
  }

  static std::string place_of(const Folder& folder, std::size_t batch) {
    std::string place = folder.prefix();
    std::replace(place.begin(), place.end(), '/', '\0');
    if (batch != kListing) place += folder.entries[batch * kBatch].name;
    return place;
  }

  // ---- entries

  [[nodiscard]] std::string path_of(const std::string& below) const {
    return below.empty() ? root_ : path_below(root_, below);
  }

  [[nodiscard]] Fact fact_of(const std::shared_ptr<Folder>& folder, std::size_t entry) const {
    if (!needs_sizes_ && folder->entries[entry].type == DT_REG) return {};
    const std::string below = folder->prefix() + folder->entries[entry].name;
    const std::string path = path_of(below);
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
      return {Fact::Kind::unusable, 0, nullptr, why_no_file(path)};
    if (S_ISREG(status.st_mode))
      return {Fact::Kind::file, static_cast<std::uint64_t>(status.st_size), nullptr, {}};
    if (!S_ISDIR(status.st_mode))
      return {Fact::Kind::unusable, 0, nullptr, std::string(special_name(status.st_mode))};
    const Identity identity{status.st_dev, status.st_ino};
    std::vector<Identity> ancestors = folder->ancestors;
    if (std::find(ancestors.begin(), ancestors.end(), identity) != ancestors.end())
      return {Fact::Kind::folder, 0, nullptr, {}};
    ancestors.push_back(identity);
    Folder found{below, std::move(ancestors), {}, {}, false, {}};
    return {Fact::Kind::folder, 0, std::make_shared<Folder>(std::move(found)), {}};
  }

  const std::string root_;
  TreeVisitor& visitor_;
  const bool needs_sizes_;
  ScanScope* const scope_;  // of the visitor's thread, which alone uses it
  Status stopped_;

  std::mutex mutex_;
  std::condition_variable work_;  // for the other threads: there may be something to do
  std::condition_variable done_;  // for the visitor's thread
  Tasks tasks_;
  std::size_t ahead_ = 0;  // entries that are examined, and that the visitor has not seen
  std::size_t idle_ = 0;   // threads
  bool ended_ = false;
  std::exception_ptr failure_;
  IoThreads threads_;  // the last member: its threads use the others
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
  const ScanScope* const scope = ScanScope::current();
  HOTPACK_ASSIGN(Entries entries,
                 read_entries(folder, scope == nullptr ? nullptr : scope->exclusion()));
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
  std::error_code no_target;
  const std::string target = std::filesystem::read_symlink(path, no_target).string();
  return (no_target ? "is a link" : "is a link to " + target) +
         (failure == ENOENT ? std::string(", which does not exist")
                            : std::string(", which cannot be read: ") + std::strerror(failure));
}

bool is_folder(const std::string& path) { return S_ISDIR(mode_of(path)); }
bool is_regular_file(const std::string& path) { return S_ISREG(mode_of(path)); }

}  // namespace hotpack::pipeline
