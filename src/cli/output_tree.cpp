#include "cli/output_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/interrupted.hpp"
#include "base/try.hpp"
#include "cli/descriptor.hpp"
#include "cli/whole_file.hpp"

namespace hotpack::cli {

namespace {

// Owns a descriptor and closes it in the destructor.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  [[nodiscard]] int number() const { return number_; }
  // Returns 0, or the errno of the failure.
  int close() {
    const int number = std::exchange(number_, -1);
    return number >= 0 && ::close(number) != 0 ? errno : 0;
  }

 private:
  int number_;
};

bool is_link(int folder, const std::string& name) {
  struct stat found {};
  return ::fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISLNK(found.st_mode);
}

// Opens the folder `name` directly in `folder`; creates it if it is missing.
Result<Descriptor> enter(int folder, const std::string& name, const std::string& path) {
  if (::mkdirat(folder, name.c_str(), 0777) != 0 && errno != EEXIST)
    return io_error("cannot create the folder", path, errno);
  Descriptor inner(retry_interrupted([&] {
    return ::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  }));
  if (inner.number() >= 0) return inner;
  const int failure = errno;
  if (is_link(folder, name))
    return Error{ErrorCode::usage,
                 "is a link, which could lead out of the folder; remove the link, or choose "
                 "another folder for -o",
                 path,
                 {}};
  if (failure == ENOTDIR)
    return Error{
        ErrorCode::usage,
        "is a file where a folder is needed; remove the file, or choose another folder for -o",
        path,
        {}};
  return io_error("cannot open the folder", path, failure);
}

// `name` is the path of a file below the folder `root`. Opens the folder of that file, and creates
// missing folders. If the file is directly in `root`, returns an empty Descriptor. `path` is the
// path of `root`, for messages.
Result<Descriptor> open_folder_of(const std::string& name, int root, const std::string& path) {
  Descriptor folder;
  std::size_t begin = 0;
  for (std::size_t slash = name.find('/'); slash != std::string::npos;
       slash = name.find('/', begin)) {
    const std::string part = name.substr(begin, slash - begin);
    if (part.empty() || part == "." || part == "..")
      return internal_error("the name '" + name + "' leads out of its folder");
    const int at = folder.number() >= 0 ? folder.number() : root;
    HOTPACK_ASSIGN(folder, enter(at, part, path + "/" + name.substr(0, slash)));
    begin = slash + 1;
  }
  return folder;
}

std::string last_part(const std::string& name) { return name.substr(name.rfind('/') + 1); }

Status write_new(int folder, const std::string& name, std::string_view content,
                 const std::string& path) {
  Descriptor file(retry_interrupted([&] {
    return ::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    0666);
  }));
  if (file.number() < 0) return io_error("cannot create the file", path, errno);
  int failure = write_fully(file.number(), content);
  if (const int unclosed = file.close(); failure == 0) failure = unclosed;
  if (failure == 0) return {};
  ::unlinkat(folder, name.c_str(), 0);
  return io_error("cannot write", path, failure);
}

}  // namespace

Result<std::unique_ptr<OutputTree>> OutputTree::open(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) return io_error("cannot create the folder", path, failed.value());
  const int descriptor =
      retry_interrupted([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor < 0) return io_error("cannot open the folder", path, errno);
  return std::unique_ptr<OutputTree>(new OutputTree(path, descriptor));
}

OutputTree::~OutputTree() { ::close(descriptor_); }

Status OutputTree::write(const std::string& name, std::string_view content, bool replace) {
  HOTPACK_ASSIGN(const Descriptor folder, open_folder_of(name, descriptor_, path_));
  const int at = folder.number() >= 0 ? folder.number() : descriptor_;
  const std::string last = last_part(name), temporary = temporary_name_of_process();
  HOTPACK_TRY(write_new(at, temporary, content, path_ + "/" + name));
  Status status = put(at, temporary, last, name, replace);
  if (!status.ok()) ::unlinkat(at, temporary.c_str(), 0);
  return status;
}

void OutputTree::remove(const std::string& name) {
  const Result<Descriptor> folder = open_folder_of(name, descriptor_, path_);
  if (!folder.ok()) return;
  const int at = folder->number() >= 0 ? folder->number() : descriptor_;
  const std::string last = last_part(name);
  struct stat found {};
  const std::lock_guard lock(naming_);
  if (::fstatat(at, last.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return;
  const Written* const written = find_written(at, last, found);
  if (written == nullptr || written->has_replaced) return;
  written_.erase({found.st_dev, found.st_ino});
  ::unlinkat(at, last.c_str(), 0);
}

// `found` is of the file `name` in the folder. If another program removed a file of this run, a new
// file may have its inode.
const OutputTree::Written* OutputTree::find_written(int folder, const std::string& name,
                                                    const struct stat& found) const {
  const auto entry = written_.find({found.st_dev, found.st_ino});
  if (entry == written_.end() || !S_ISREG(found.st_mode)) return nullptr;
  const Result<FileIdentity> now = identity_at(folder, name, name);
  return now.ok() && entry->second.identity.same_file(*now) ? &entry->second : nullptr;
}

// Renames the temporary file to its final name `last`. `replace` permits replacing a file that
// existed before this run. The lock is needed because a file system may treat two names as the
// same: the second of two calls then finds the file that the first has renamed, and fails.
Status OutputTree::put(int folder, const std::string& temporary, const std::string& last,
                       const std::string& name, bool replace) {
  const std::string path = path_ + "/" + name;
  struct stat found {};
  HOTPACK_ASSIGN(const FileIdentity made, identity_at(folder, temporary, path));
  const std::lock_guard lock(naming_);
  const bool exists = ::fstatat(folder, last.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
  if (exists) {
    if (find_written(folder, last, found) != nullptr)
      return data_error(
          "the file of another sample has this name already: the file system does not distinguish "
          "names that differ only in case or Unicode form. Choose a folder on another file system, "
          "or extract the samples one by one with --key",
          path);
    if (S_ISDIR(found.st_mode))
      return Error{
          ErrorCode::usage,
          "is a folder where a file is needed; remove the folder, or choose another one for -o",
          path,
          {}};
    if (!replace) return Error{ErrorCode::usage, "exists already; --force replaces it", path, {}};
  }
  if (::renameat(folder, temporary.c_str(), folder, last.c_str()) != 0)
    return io_error("cannot rename to this", path, errno);
  written_[{made.device, made.number}] = {made, exists};
  return {};
}

}  // namespace hotpack::cli
