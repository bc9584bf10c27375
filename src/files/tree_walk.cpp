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
#include "files/file_list.hpp"
#include "files/folder_entries.hpp"
#include "files/scan_scope.hpp"
#include "settings/io_threads.hpp"

namespace hotpack::pipeline {

namespace {

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

using Identity = std::pair<dev_t, ino_t>;

// How many entries a thread examines at once. Few, so that many threads have work in a folder of a
// thousand files.
constexpr std::size_t kBatch = 32;
// How far the threads go ahead of the visitor: in names of listed folders, and in examined entries.
constexpr std::size_t kMostListed = 65536;
constexpr std::size_t kMostExamined = 16384;

struct Folder;

// A folder and those that it is in. Not part of Folder, which has its subfolders until they are
// visited: two folders that have each other would never be freed.
struct Lineage {
  Identity identity;
  std::shared_ptr<const Lineage> parent;

  [[nodiscard]] bool has(const Identity& other) const {
    const Lineage* one = this;
    while (one != nullptr && one->identity != other) one = one->parent.get();
    return one != nullptr;
  }
};

// What an entry is.
struct Fact {
  enum class Kind { file, folder, unusable } kind = Kind::file;
  std::uint64_t bytes = 0;
  std::shared_ptr<Folder> folder;  // null for a link back to a parent folder
  std::string why;
};
using Facts = std::vector<Fact>;

struct Folder {
  Folder(std::string path_below, std::shared_ptr<const Lineage> its_lineage)
      : below(std::move(path_below)), lineage(std::move(its_lineage)) {}

  const std::string below;  // the path below the root; "" for the root
  const std::shared_ptr<const Lineage> lineage;

  // Set by the thread that lists the folder; the lock of the walk guards `listed` and what follows.
  FolderEntries entries;
  std::optional<Error> failure;
  bool listed = false;
  std::size_t next_batch = 0;          // the first that no thread has taken
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
    const auto top = make_folder("", {status.st_dev, status.st_ino}, nullptr);
    if (scope_ != nullptr) threads_.grow_to(scope_->useful_threads());
    submit(top);
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
  using Queue = std::map<std::string, Task>;
  using Lock = std::unique_lock<std::mutex>;

  // ---- the visitor's thread

  // False if the visitor, or a stop, ends the walk.
  bool visit_all(Folder& folder) {
    const std::string prefix = folder.prefix();
    for (std::size_t batch = 0; batch < folder.batches(); ++batch) {
      if (!wait_for(folder, batch)) return false;
      Facts facts = take_facts(folder, batch);
      for (std::size_t i = 0; i < facts.size(); ++i) {
        const std::string_view name = folder.entries.name(batch * kBatch + i);
        if (!visit(prefix + std::string(name), facts[i])) return false;
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
      Queue& queue = batch == kListing ? listings_ : batches_;
      const auto place = queue.find(place_of(folder, batch));
      if (place != queue.end()) {
        run_task(queue, place, lock);
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
    examined_ -= facts.size();
    listed_ -= facts.size();
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
        if (!run_next(lock)) {
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

  // Runs the task that the visitor will need first. False if there is none, or if enough is ahead
  // of the visitor.
  bool run_next(Lock& lock) {
    const bool may_list = !listings_.empty() && listed_ < kMostListed;
    const bool may_examine = !batches_.empty() && examined_ < kMostExamined;
    if (!may_list && !may_examine) return false;
    const bool lists =
        may_list && (!may_examine || listings_.begin()->first < batches_.begin()->first);
    Queue& queue = lists ? listings_ : batches_;
    run_task(queue, queue.begin(), lock);
    return true;
  }

  void run_task(Queue& queue, Queue::iterator place, Lock& lock) {
    const Task task = std::move(place->second);
    queue.erase(place);
    const WaitMeter meter;
    task.batch == kListing ? list(*task.folder, task.folder, lock)
                           : examine(task.folder, task.batch, lock);
    done_.notify_one();
    if (meter.waited()) threads_.add_one();
  }

  // Precondition for these functions: the lock is held; it is again when they return.

  void list(Folder& folder, const std::shared_ptr<Folder>& shared, Lock& lock) {
    lock.unlock();
    Result<FolderEntries> entries = FolderEntries::read(path_of(folder.below));
    lock.lock();
    if (entries.ok())
      folder.entries = std::move(entries).value();
    else
      folder.failure = std::move(entries).error();
    listed_ += folder.entries.size();
    folder.listed = true;
    if (folder.batches() > 0) submit_locked(batches_, {shared, 0});
  }

  void examine(const std::shared_ptr<Folder>& folder, std::size_t batch, Lock& lock) {
    const std::size_t first = batch * kBatch;
    const std::size_t count = std::min(kBatch, folder->entries.size() - first);
    examined_ += count;
    folder->next_batch = batch + 1;
    if (folder->next_batch < folder->batches())
      submit_locked(batches_, {folder, folder->next_batch});
    lock.unlock();
    Facts facts(count);
    for (std::size_t i = 0; i < count; ++i) facts[i] = fact_of(folder, first + i);
    lock.lock();
    for (const Fact& fact : facts)
      if (fact.folder) submit_locked(listings_, {fact.folder, kListing});
    folder->facts.emplace(batch, std::move(facts));
  }

  void submit(const std::shared_ptr<Folder>& folder) {
    const Lock lock(mutex_);
    submit_locked(listings_, {folder, kListing});
  }

  void submit_locked(Queue& queue, Task task) {
    std::string place = place_of(*task.folder, task.batch);
    queue.emplace(std::move(place), std::move(task));
    if (idle_ > 0) work_.notify_one();
  }

  static std::string place_of(const Folder& folder, std::size_t batch) {
    std::string place = folder.prefix();
    std::replace(place.begin(), place.end(), '/', '\0');
    if (batch != kListing) place += folder.entries.name(batch * kBatch);
    return place;
  }

  // ---- entries

  [[nodiscard]] std::string path_of(const std::string& below) const {
    return below.empty() ? root_ : path_below(root_, below);
  }

  [[nodiscard]] Fact fact_of(const std::shared_ptr<Folder>& folder, std::size_t entry) const {
    if (!needs_sizes_ && folder->entries.type(entry) == DT_REG) return {};
    const std::string below = folder->prefix() + std::string(folder->entries.name(entry));
    const std::string path = path_of(below);
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
      return {Fact::Kind::unusable, 0, nullptr, why_no_file(path)};
    if (S_ISREG(status.st_mode))
      return {Fact::Kind::file, static_cast<std::uint64_t>(status.st_size), nullptr, {}};
    if (!S_ISDIR(status.st_mode))
      return {Fact::Kind::unusable, 0, nullptr, std::string(special_name(status.st_mode))};
    Fact fact{Fact::Kind::folder, 0, nullptr, {}};
    const Identity identity{status.st_dev, status.st_ino};
    if (!folder->lineage->has(identity))
      fact.folder = make_folder(below, identity, folder->lineage);
    return fact;
  }

  static std::shared_ptr<Folder> make_folder(const std::string& below, const Identity& identity,
                                             std::shared_ptr<const Lineage> parent) {
    return std::make_shared<Folder>(
        below, std::make_shared<const Lineage>(Lineage{identity, std::move(parent)}));
  }

  const std::string root_;
  TreeVisitor& visitor_;
  const bool needs_sizes_;
  ScanScope* const scope_;  // of the visitor's thread, which alone uses it
  Status stopped_;

  std::mutex mutex_;
  std::condition_variable work_;  // for the other threads: there may be something to do
  std::condition_variable done_;  // for the visitor's thread
  Queue listings_, batches_;
  std::size_t listed_ = 0, examined_ = 0;  // entries ahead of the visitor
  std::size_t idle_ = 0;                   // threads
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
  HOTPACK_ASSIGN(const FolderEntries entries, FolderEntries::read(folder));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::string name(entries.name(i));
    const bool type_is_known = entries.type(i) == DT_DIR || entries.type(i) == DT_REG;
    const bool is_a_folder =
        type_is_known ? entries.type(i) == DT_DIR : is_folder(path_below(folder, name));
    (is_a_folder ? content.folders : content.files).push_back(std::move(name));
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
