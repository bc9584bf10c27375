#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/interrupted.hpp"
#include "base/try.hpp"

namespace hotpack {

namespace {

std::uint64_t size_in(const struct stat& status) {
  return static_cast<std::uint64_t>(status.st_size);
}

// 0 if the file system does not know, or the kernel refuses to say.
std::uint64_t born_ns(int folder, const char* name, int flags) {
  struct statx found {};
  if (::statx(folder, name, flags, STATX_BTIME, &found) != 0 || (found.stx_mask & STATX_BTIME) == 0)
    return 0;
  return static_cast<std::uint64_t>(found.stx_btime.tv_sec) * 1'000'000'000 +
         found.stx_btime.tv_nsec;
}

// The arguments of fstatat().
Result<FileIdentity> identify(int folder, const char* name, int flags, const std::string& path) {
  struct stat status {};
  if (::fstatat(folder, name, &status, flags) != 0) return io_error("cannot stat", path, errno);
  return FileIdentity{static_cast<std::uint64_t>(status.st_dev),
                      static_cast<std::uint64_t>(status.st_ino), born_ns(folder, name, flags),
                      size_in(status)};
}

// True if a file system that cannot flush folders gives this error. Its renames are as durable as
// it can make them.
bool cannot_flush_folders(int error) {
  constexpr std::array<int, 6> kErrors = {EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS, EBADF, EACCES};
  return std::find(kErrors.begin(), kErrors.end(), error) != kErrors.end();
}

}  // namespace

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

File::File(File&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      size_when_opened_(other.size_when_opened_) {}

File& File::operator=(File&& other) noexcept {
  if (this != &other) {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = std::exchange(other.descriptor_, -1);
    path_ = std::move(other.path_);
    size_when_opened_ = other.size_when_opened_;
  }
  return *this;
}

Result<File> File::open_read(const std::string& path) {
  // O_NONBLOCK: opening a FIFO must not wait for a process that writes to it. The flag has no
  // effect on a regular file.
  const int descriptor =
      retry_interrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
  if (descriptor < 0) return io_error("cannot open", path, errno);
  File file(descriptor, path);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return io_error("cannot stat", path, errno);
  if (!S_ISREG(status.st_mode)) return Error{ErrorCode::io, "is not a regular file", path, {}};
  file.size_when_opened_ = size_in(status);
  return file;
}

Result<File> File::create_exclusive(const std::string& path) {
  const int descriptor = retry_interrupted(
      [&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
  if (descriptor < 0) return io_error("cannot create", path, errno);
  return File(descriptor, path);
}

Result<std::uint64_t> File::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return io_error("cannot stat", path_, errno);
  return size_in(status);
}

Result<FileIdentity> File::identity() const {
  return identify(descriptor_, "", AT_EMPTY_PATH, path_);
}

Result<std::size_t> File::read_some(std::uint64_t offset, std::span<std::byte> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t n = retry_interrupted([&] {
      return ::pread(descriptor_, into.data() + done, into.size() - done,
                     static_cast<off_t>(offset + done));
    });
    if (n < 0) return io_error("cannot read", path_, errno);
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

Status File::read_at(std::uint64_t offset, std::span<std::byte> into) const {
  HOTPACK_ASSIGN(const std::size_t done, read_some(offset, into));
  if (done != into.size())
    return Error{ErrorCode::io, "the file ends before the last byte that was to be read", path_,
                 offset + done};
  return {};
}

Status File::write_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = retry_interrupted([&] {
      return ::pwrite(descriptor_, bytes.data() + done, bytes.size() - done,
                      static_cast<off_t>(offset + done));
    });
    if (n < 0) return io_error("cannot write", path_, errno);
    done += static_cast<std::size_t>(n);
  }
  return {};
}

Status File::resize(std::uint64_t size_bytes) const {
  if (retry_interrupted([&] { return ::ftruncate(descriptor_, static_cast<off_t>(size_bytes)); }) !=
      0)
    return io_error("cannot set the file's size", path_, errno);
  return {};
}

Status File::sync_data() const {
  if (retry_interrupted([&] { return ::fdatasync(descriptor_); }) != 0)
    return io_error("cannot flush to disk", path_, errno);
  return {};
}

Status File::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (descriptor >= 0 && ::close(descriptor) != 0) return io_error("cannot close", path_, errno);
  return {};
}

Status read_file(const std::string& path, std::vector<std::byte>& into) {
  HOTPACK_ASSIGN(const File file, File::open_read(path));
  into.resize(static_cast<std::size_t>(file.size_when_opened()));
  return file.read_at(0, into);
}

Result<std::string> File::read_text() const {
  HOTPACK_ASSIGN(const std::uint64_t size_bytes, size());
  std::string text(static_cast<std::size_t>(size_bytes), '\0');
  HOTPACK_TRY(read_at(0, std::as_writable_bytes(std::span(text))));
  return text;
}

Result<std::string> read_text_file(const std::string& path) {
  HOTPACK_ASSIGN(const File file, File::open_read(path));
  return file.read_text();
}

Result<std::uint64_t> size_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return io_error("cannot stat", path, errno);
  return size_in(status);
}

Result<FileIdentity> identity_of(const std::string& path) {
  return identify(AT_FDCWD, path.c_str(), 0, path);
}

Result<FileIdentity> identity_at(int folder, const std::string& name, const std::string& path) {
  return identify(folder, name.c_str(), AT_SYMLINK_NOFOLLOW, path);
}

Status sync_folder(const std::string& folder) {
  const int descriptor =
      retry_interrupted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor < 0) return io_error("cannot open the folder", folder, errno);
  const int outcome = retry_interrupted([&] { return ::fsync(descriptor); });
  const int saved = errno;
  ::close(descriptor);
  if (outcome != 0 && !cannot_flush_folders(saved))
    return io_error("cannot flush the folder to disk", folder, saved);
  return {};
}

}  // namespace hotpack
