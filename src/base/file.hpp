// Files: a descriptor that closes itself, whole reads with retries, writes at an offset, fsync of
// folders.
//
// Ownership: File owns its descriptor. Thread-safety: several threads may call read_at and
// write_at at once.
// Failure: every function returns code `io` with the path and the system's text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack {

// The identity and length of the file that a name or a descriptor refers to. A file system gives
// the inode of a removed file to a new one, hence the time of birth.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;   // the inode
  std::uint64_t born_ns = 0;  // since 1970; 0 if the system does not say
  std::uint64_t size_bytes = 0;
  [[nodiscard]] bool same_file(const FileIdentity& other) const {
    return device == other.device && number == other.number &&
           (born_ns == other.born_ns || born_ns == 0 || other.born_ns == 0);
  }
  bool operator==(const FileIdentity&) const = default;
};

class File {
 public:
  File() = default;
  ~File();
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;

  // Opens a regular file. Fails for anything else (a FIFO, a device, a folder), and does not wait
  // for the other end of a FIFO.
  [[nodiscard]] static Result<File> open_read(const std::string& path);
  // Creates a file that must not exist yet, with mode 0666 minus the umask.
  [[nodiscard]] static Result<File> create_exclusive(const std::string& path);

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] Result<std::uint64_t> size() const;
  // The size that open_read() saw; asks no file system again.
  [[nodiscard]] std::uint64_t size_when_opened() const { return size_when_opened_; }
  [[nodiscard]] Result<FileIdentity> identity() const;
  // Reads exactly `into.size()` bytes at `offset`; a shorter file is an error.
  [[nodiscard]] Status read_at(std::uint64_t offset, std::span<std::byte> into) const;
  // Reads up to `into.size()` bytes at `offset`; returns how many it read.
  [[nodiscard]] Result<std::size_t> read_some(std::uint64_t offset,
                                              std::span<std::byte> into) const;
  [[nodiscard]] Result<std::string> read_text() const;  // the whole file
  [[nodiscard]] Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) const;
  [[nodiscard]] Status resize(std::uint64_t size_bytes) const;
  [[nodiscard]] Status sync_data() const;
  // Closes the file and reports a failure, which the destructor ignores.
  [[nodiscard]] Status close();

 private:
  File(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  int descriptor_ = -1;
  std::string path_;
  std::uint64_t size_when_opened_ = 0;
};

// Reads a whole regular file into `into` (resized, its capacity reused).
[[nodiscard]] Status read_file(const std::string& path, std::vector<std::byte>& into);
[[nodiscard]] Result<std::string> read_text_file(const std::string& path);

[[nodiscard]] Result<std::uint64_t> size_of(const std::string& path);
// The identity of the file that the path names now.
[[nodiscard]] Result<FileIdentity> identity_of(const std::string& path);
// The same for a name in the folder `folder`, a descriptor. A link is not followed. `path` is for
// messages.
[[nodiscard]] Result<FileIdentity> identity_at(int folder, const std::string& name,
                                               const std::string& path);

// Makes renames and deletions in a folder durable. A file system that cannot flush folders is no
// failure.
[[nodiscard]] Status sync_folder(const std::string& folder);

}  // namespace hotpack
