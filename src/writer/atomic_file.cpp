#include "writer/atomic_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/folder.hpp"
#include "base/interrupted.hpp"
#include "base/temporary_name.hpp"
#include "base/try.hpp"

namespace hotpack::writer {

namespace {

constexpr int kAttempts = 16;

std::uint64_t random_number() {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random))
    random = static_cast<std::uint64_t>(::getpid());
  return random;
}

// Locks a new temporary file. Returns false if another run has locked or removed it in the
// meantime: before it is locked, it looks like a leftover of a killed run.
bool locked_and_still_there(const File& file) {
  struct stat status {};
  return ::flock(file.descriptor(), LOCK_EX | LOCK_NB) == 0 &&
         ::fstat(file.descriptor(), &status) == 0 && status.st_nlink > 0;
}

void remove_if_unlocked(const std::string& path) {
  const int descriptor =
      retry_interrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW); });
  if (descriptor < 0) return;  // already removed, or not readable for this user
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
  ::close(descriptor);
}

}  // namespace

Result<AtomicFile> AtomicFile::create(const std::string& folder, const std::string& final_name) {
  Error last = internal_error("no attempt was made");
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Result<File> file =
        File::create_exclusive(folder + "/" + temporary_name(final_name, random_number()));
    if (!file.ok()) return std::move(file).error();
    if (locked_and_still_there(*file))
      return AtomicFile(std::move(file).value(), folder, final_name);
    last = io_error("cannot lock the temporary file", file->path(), errno);
    ::unlink(file->path().c_str());
  }
  return last;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : file_(std::move(other.file_)),
      folder_(std::move(other.folder_)),
      final_name_(std::move(other.final_name_)),
      remove_(std::exchange(other.remove_, false)) {}

AtomicFile::~AtomicFile() {
  if (remove_) ::unlink(file_.path().c_str());
}

Status AtomicFile::commit() {
  HOTPACK_TRY(file_.sync_data());
  const std::string target = folder_ + "/" + final_name_;
  if (::rename(file_.path().c_str(), target.c_str()) != 0)
    return io_error("cannot rename the finished temporary file to this name", target, errno);
  remove_ = false;
  HOTPACK_TRY(file_.close());
  return sync_folder(folder_);
}

Status write_file_atomically(const std::string& folder, const std::string& final_name,
                             std::string_view content) {
  HOTPACK_ASSIGN(AtomicFile file, AtomicFile::create(folder, final_name));
  HOTPACK_TRY(file.file().write_at(0, bytes_of(content)));
  return file.commit();
}

Status remove_stale_temporaries(const std::string& folder,
                                const std::function<bool(std::string_view)>& mine) {
  std::error_code failure;
  if (!std::filesystem::exists(folder, failure) && !failure) return {};
  HOTPACK_ASSIGN(const std::vector<std::string> names, names_in_folder(folder));
  for (const std::string& name : names) {
    const std::string_view final_name = final_name_of(name);
    if (!final_name.empty() && mine(final_name)) remove_if_unlocked(folder + "/" + name);
  }
  return {};
}

}  // namespace hotpack::writer
