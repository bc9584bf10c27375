// Files as hotpack uses them: a descriptor that closes itself, whole reads with retries, positioned writes, directory fsync.
//
// Ownership: File owns its descriptor. Thread-safety: read_at and write_at may be called from several threads at once.
// Failure: every function returns a Status or Result with code `io`, the path and the system's text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack {

// Which file a name or a descriptor stands for, and its length.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;  // of its inode
  std::uint64_t size_bytes = 0;
  [[nodiscard]] bool same_file(const FileIdentity& other) const { return device == other.device && number == other.number; }
  bool operator==(const FileIdentity&) const = default;
};

class File {
 public:
  File() = default;
  ~File();
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;

  // A regular file only; another (a FIFO, a device, a folder) is refused without waiting for it.
  [[nodiscard]] static Result<File> open_read(const std::string& path);
  // Creates a file that must not exist yet, mode 0666 less the umask.
  [[nodiscard]] static Result<File> create_exclusive(const std::string& path);

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] Result<std::uint64_t> size() const;
  [[nodiscard]] Result<FileIdentity> identity() const;
  // Reads exactly `into.size()` bytes at `offset`; fewer in the file is an error.
  [[nodiscard]] Status read_at(std::uint64_t offset, std::span<std::byte> into) const;
  // Reads up to `into.size()` bytes at `offset`; returns how many there were.
  [[nodiscard]] Result<std::size_t> read_some(std::uint64_t offset, std::span<std::byte> into) const;
  [[nodiscard]] Result<std::string> read_text() const;  // the whole file
  [[nodiscard]] Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) const;
  [[nodiscard]] Status resize(std::uint64_t size_bytes) const;
  [[nodiscard]] Status sync_data() const;
  // Closes and reports; the destructor closes and does not.
  [[nodiscard]] Status close();

 private:
  File(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  int descriptor_ = -1;
  std::string path_;
};

// Reads a whole regular file into `into` (resized, its capacity reused).
[[nodiscard]] Status read_file(const std::string& path, std::vector<std::byte>& into);
[[nodiscard]] Result<std::string> read_text_file(const std::string& path);

// Of the file that the path names now.
[[nodiscard]] Result<FileIdentity> identity_of(const std::string& path);

// Makes renames and unlinks in a folder durable.
[[nodiscard]] Status sync_folder(const std::string& folder);

}  // namespace hotpack
