#include "writer/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/file_lock.hpp"
#include "base/folder.hpp"
#include "base/interrupted.hpp"
#include "base/temporary_name.hpp"
#include "base/temporary_owner.hpp"
#include "base/try.hpp"

namespace hotpack::writer {

namespace {

constexpr int kAttempts = 16;
constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::int64_t kDay = 24 * 60 * 60;  // in seconds

std::string new_temporary_path(const std::string& folder, const std::string& final_name) {
  return folder + "/" + temporary_name(final_name, new_temporary_number());
}

// True if the path still names the open file. Another run may have taken a file that was not locked
// yet for a leftover of a killed run.
bool still_there(const File& file) {
  struct stat status {};
  if (::fstat(file.descriptor(), &status) != 0) return false;
  if (status.st_nlink > 0) return true;
  return ::access(file.path().c_str(), F_OK) == 0;  // some file systems count no links
}

// ---- leftovers

// An open temporary file of an unknown writer.
class Candidate {
 public:
  explicit Candidate(const std::string& path) : descriptor_(open(path)) {}
  ~Candidate() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  // When the file was last changed, in seconds.
  [[nodiscard]] std::optional<std::int64_t> changed() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) return std::nullopt;
    return static_cast<std::int64_t>(status.st_mtime);
  }

 private:
  // For writing, because NFS gives exclusive locks to such descriptors only.
  static int open(const std::string& path) {
    constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    const int descriptor = retry_interrupted([&] { return ::open(path.c_str(), O_RDWR | kFlags); });
    if (descriptor >= 0 || errno == ENOENT) return descriptor;
    return retry_interrupted([&] { return ::open(path.c_str(), O_RDONLY | kFlags); });
  }
  int descriptor_;
};

class Leftovers {
 public:
  Leftovers(const std::string& folder, OtherMachines others) : folder_(folder), others_(others) {}

  void remove_if_stale(const std::string& name) {
    const std::string path = folder_ + "/" + name;
    const Owner owner = owner_of(number_of(name));
    if (owner == Owner::alive) return;
    const Candidate candidate(path);
    if (!candidate.is_open()) return;  // already removed, or not accessible for this user
    const LockState lock = try_lock(candidate.descriptor(), LockKind::exclusive);
    if (lock == LockState::held) return;
    if (owner == Owner::gone || others_ == OtherMachines::are_done ||
        (lock == LockState::taken && locks_reach_everyone(candidate.descriptor())) ||
        is_old(candidate, std::string(final_name_of(name))))
      ::unlink(path.c_str());
  }

 private:
  // Both times are those of the file system, because this machine's clock may differ.
  bool is_old(const Candidate& candidate, const std::string& final_name) {
    const std::optional<std::int64_t> changed = candidate.changed();
    if (!now_) now_ = time_of_new_file(final_name);
    return changed && *now_ && **now_ - *changed > kDay;
  }

  [[nodiscard]] std::optional<std::int64_t> time_of_new_file(const std::string& final_name) const {
    const Result<AtomicFile> fresh = AtomicFile::create(folder_, final_name);
    if (!fresh.ok()) return std::nullopt;
    struct stat status {};
    if (::fstat(fresh->file().descriptor(), &status) != 0) return std::nullopt;
    return static_cast<std::int64_t>(status.st_mtime);
  }

  const std::string& folder_;
  OtherMachines others_;
  std::optional<std::optional<std::int64_t>> now_;  // asked once, if needed
};

}  // namespace

// ---- AtomicFile

Result<AtomicFile> AtomicFile::create(const std::string& folder, const std::string& final_name) {
  Error last = internal_error("no attempt was made");
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::string path = new_temporary_path(folder, final_name);
    Result<File> file = File::create_exclusive(path);
    if (!file.ok()) {
      last = std::move(file).error();
      if (::access(path.c_str(), F_OK) == 0) continue;  // the name of a leftover
      return last;
    }
    const LockState lock = try_lock(file->descriptor(), LockKind::exclusive);
    if (lock != LockState::held && still_there(*file))
      return AtomicFile(std::move(file).value(), folder, final_name, lock == LockState::taken);
    last = Error{ErrorCode::io, "another run took the new temporary file for a leftover", path, {}};
    ::unlink(path.c_str());
  }
  return last;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : file_(std::move(other.file_)),
      path_(std::move(other.path_)),
      folder_(std::move(other.folder_)),
      final_name_(std::move(other.final_name_)),
      locked_(other.locked_),
      remove_(std::exchange(other.remove_, false)) {}

AtomicFile::~AtomicFile() {
  if (!remove_) return;
  // Closed first: NFS keeps a removed file that is open, under a name of its own.
  (void)file_.close();
  ::unlink(path_.c_str());
}

Status AtomicFile::commit(const IsEqual& is_equal) {
  for (int attempt = 1;; ++attempt) {
    Status published = publish();
    if (published.ok()) break;
    const bool vanished = ::access(path_.c_str(), F_OK) != 0 && errno == ENOENT;
    if (!vanished || attempt == kAttempts) return published;
    if (is_finished(is_equal)) break;
    HOTPACK_TRY(write_again());
  }
  remove_ = false;
  HOTPACK_TRY(file_.close());
  return sync_folder(folder_);
}

Status AtomicFile::publish() const {
  HOTPACK_TRY(file_.sync_data());
  if (::rename(path_.c_str(), target().c_str()) != 0)
    return io_error("cannot rename the finished temporary file to this name", target(), errno);
  return {};
}

bool AtomicFile::is_finished(const IsEqual& is_equal) const {
  const Result<File> finished = File::open_read(target());
  return finished.ok() && (is_equal ? is_equal(*finished) : has_equal_bytes(*finished));
}

bool AtomicFile::has_equal_bytes(const File& finished) const {
  const Result<std::uint64_t> size = file_.size(), other_size = finished.size();
  if (!size.ok() || !other_size.ok() || *size != *other_size) return false;
  std::vector<std::byte> mine(kBlock), other(kBlock);
  for (std::uint64_t at = 0; at < *size; at += kBlock) {
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, *size - at));
    const auto left = std::span(mine).first(part), right = std::span(other).first(part);
    if (!file_.read_at(at, left).ok() || !finished.read_at(at, right).ok()) return false;
    if (!std::equal(left.begin(), left.end(), right.begin())) return false;
  }
  return true;
}

// The temporary file was removed, but its descriptor still reads the data: copies them to a new
// one.
Status AtomicFile::write_again() {
  const auto failed = [&](const Error& error) {
    return Error{ErrorCode::io,
                 "another run or program removed the temporary file of this one while it was "
                 "written, and it cannot be written again (" +
                     error.message + "); run the same command again to continue",
                 target(),
                 {}};
  };
  Result<AtomicFile> copy = create(folder_, final_name_);
  if (!copy.ok()) return failed(copy.error());
  const Result<std::uint64_t> size = file_.size();
  if (!size.ok()) return failed(size.error());
  std::vector<std::byte> block(kBlock);
  for (std::uint64_t at = 0; at < *size; at += kBlock) {
    const auto part = std::span(block).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, *size - at)));
    if (Status status = file_.read_at(at, part); !status.ok()) return failed(status.error());
    if (Status status = copy->file().write_at(at, part); !status.ok())
      return failed(status.error());
  }
  copy->remove_ = false;
  file_ = std::move(copy->file_);
  path_ = copy->path_;
  locked_ = copy->locked_;
  return {};
}

Status AtomicFile::rename_temporary() {
  const std::string path = new_temporary_path(folder_, final_name_);
  if (::rename(path_.c_str(), path.c_str()) != 0)
    return io_error("cannot rename a file", path_, errno);
  path_ = path;
  return {};
}

Status write_file_atomically(const std::string& folder, const std::string& final_name,
                             std::string_view content) {
  HOTPACK_ASSIGN(AtomicFile file, AtomicFile::create(folder, final_name));
  HOTPACK_TRY(file.file().write_at(0, bytes_of(content)));
  return file.commit();
}

Status remove_stale_temporaries(const std::string& folder,
                                const std::function<bool(std::string_view)>& mine,
                                OtherMachines others) {
  std::error_code failure;
  if (!std::filesystem::exists(folder, failure) && !failure) return {};
  HOTPACK_ASSIGN(const std::vector<std::string> names, names_in_folder(folder));
  Leftovers leftovers(folder, others);
  for (const std::string& name : names) {
    const std::string_view final_name = final_name_of(name);
    if (!final_name.empty() && mine(final_name)) leftovers.remove_if_stale(name);
  }
  return {};
}

}  // namespace hotpack::writer
