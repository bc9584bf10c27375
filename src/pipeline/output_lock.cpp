#include "pipeline/output_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/try.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::chrono::milliseconds kPause{50};

// The folders on the way to `folder` that do not exist yet, innermost first.
std::vector<std::string> missing_folders(const std::string& folder) {
  std::vector<std::string> missing;
  std::error_code ignored;
  std::filesystem::path path = std::filesystem::absolute(folder, ignored).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // a slash at the end
  for (; !path.empty() && !std::filesystem::exists(path, ignored); path = path.parent_path()) missing.push_back(path.string());
  return missing;
}

Status make_folders(const std::string& folder, const std::vector<std::string>& missing) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return io_error("cannot make the output folder", folder, failure.value());
  for (const std::string& made : missing) HOTPACK_TRY(sync_folder(std::filesystem::path(made).parent_path().string()));
  return {};
}

// True: locked, or the file system has no locks.
bool try_lock(int descriptor) { return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

}  // namespace

Result<std::optional<OutputLock>> OutputLock::take(const std::string& folder, Observer& observer) {
  std::vector<std::string> missing = missing_folders(folder);
  HOTPACK_TRY(make_folders(folder, missing));
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return io_error("cannot open the output folder", folder, errno);
  OutputLock lock(descriptor, std::move(missing));
  for (bool told = false; !try_lock(descriptor); told = true) {
    if (!told) observer.message(Level::info, "another run writes into " + folder + "; waiting for it to end");
    if (observer.stop_requested()) return std::optional<OutputLock>();
    std::this_thread::sleep_for(kPause);
  }
  return std::optional<OutputLock>(std::move(lock));
}

OutputLock::OutputLock(OutputLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), made_(std::move(other.made_)) {}

OutputLock::~OutputLock() {
  if (descriptor_ < 0) return;
  for (const std::string& folder : made_)
    if (::rmdir(folder.c_str()) != 0) break;  // not empty: something was packed
  ::close(descriptor_);
}

}  // namespace hotpack::pipeline
