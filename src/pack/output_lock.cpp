#include "pack/output_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_lock.hpp"
#include "base/interrupted.hpp"
#include "base/try.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::chrono::milliseconds kPause{50};
constexpr int kAttempts = 100;

// The absolute path, without a slash at the end.
std::string whole_path(const std::string& folder) {
  std::error_code ignored;
  std::filesystem::path path = std::filesystem::absolute(folder, ignored).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).string();
}

// Returns `folder` and the folders above it that do not exist yet, innermost first.
std::vector<std::string> missing_folders(const std::string& folder) {
  std::vector<std::string> missing;
  std::error_code ignored;
  std::filesystem::path path = whole_path(folder);
  for (; !path.empty() && !std::filesystem::exists(path, ignored); path = path.parent_path())
    missing.push_back(path.string());
  return missing;
}

Status make_folders(const std::string& folder, const std::vector<std::string>& missing) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return io_error("cannot create the output folder", folder, failure.value());
  for (const std::string& made : missing)
    HOTPACK_TRY(sync_folder(std::filesystem::path(made).parent_path().string()));
  return {};
}

// Returns true if the path `folder` still leads to the folder that was locked as `descriptor`.
// Another run may have removed the empty folder before it was locked.
bool still_there(int descriptor, const std::string& folder) {
  struct stat locked {
  }, named{};
  return ::fstat(descriptor, &locked) == 0 && ::stat(folder.c_str(), &named) == 0 &&
         locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
}

}  // namespace

Result<std::optional<OutputLock>> OutputLock::take(const std::string& folder, Sharing sharing,
                                                   Observer& observer,
                                                   const std::vector<std::string>& own) {
  for (int attempt = 1;; ++attempt) {
    HOTPACK_ASSIGN(OutputLock lock, open(folder));
    for (auto each = own.rbegin(); each != own.rend(); ++each) {
      std::erase(lock.made_, whole_path(*each));
      lock.made_.insert(lock.made_.begin(), whole_path(*each));
    }
    if (!lock.wait(folder, sharing == Sharing::partitions ? LockKind::shared : LockKind::exclusive,
                   observer))
      return std::optional<OutputLock>();
    if (attempt == kAttempts || still_there(lock.descriptor_, folder))
      return std::optional<OutputLock>(std::move(lock));
  }
}

Result<OutputLock> OutputLock::open(const std::string& folder) {
  std::vector<std::string> missing = missing_folders(folder);
  HOTPACK_TRY(make_folders(folder, missing));
  const int descriptor =
      retry_interrupted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor < 0) return io_error("cannot open the output folder", folder, errno);
  return OutputLock(descriptor, std::move(missing));
}

bool OutputLock::wait(const std::string& folder, LockKind kind, Observer& observer) const {
  for (bool reported = false; try_lock(descriptor_, kind) == LockState::held; reported = true) {
    if (!reported)
      observer.message(Level::info, "another run of hotpack writes into '" + folder +
                                        "'; waiting for that run to end");
    if (observer.stop_requested()) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

OutputLock::OutputLock(OutputLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), made_(std::move(other.made_)) {}

OutputLock::~OutputLock() {
  if (descriptor_ < 0) return;
  // Another partition may be about to write, or the name may belong to another run's folder by now.
  const bool alone = !made_.empty() &&
                     try_lock(descriptor_, LockKind::exclusive) == LockState::taken &&
                     still_there(descriptor_, made_.front());
  for (const std::string& folder : made_)
    if (!alone || ::rmdir(folder.c_str()) != 0) break;  // not empty, so something was packed
  ::close(descriptor_);
}

}  // namespace hotpack::pipeline
