// A file that appears under its final name when it is complete, or never.
//
// The data go to a temporary name (base/temporary_name) in the same folder. The file is created
// exclusively and stays locked (flock), so that other runs can tell a live temporary file from a
// leftover. Ownership: owns the descriptor and, until commit(), the temporary file, which the
// destructor removes. Thread-safety: several threads may write to file() at different offsets; one
// thread at a time calls everything else. Failure: code `io`.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "hotpack/result.hpp"

namespace hotpack::writer {

class AtomicFile {
 public:
  [[nodiscard]] static Result<AtomicFile> create(const std::string& folder,
                                                 const std::string& final_name);
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  [[nodiscard]] const File& file() const { return file_; }

  // Flushes the data to disk, renames the file to its final name (replacing an existing file),
  // and flushes the folder.
  [[nodiscard]] Status commit();

 private:
  AtomicFile(File file, std::string folder, std::string final_name)
      : file_(std::move(file)), folder_(std::move(folder)), final_name_(std::move(final_name)) {}
  File file_;
  std::string folder_;
  std::string final_name_;
  bool remove_ = true;
};

// Writes a whole small file atomically.
[[nodiscard]] Status write_file_atomically(const std::string& folder, const std::string& final_name,
                                           std::string_view content);

// Removes temporary files of killed runs: those whose final name satisfies `mine` and whose lock is
// free. Files of running processes stay. A missing folder is not an error.
[[nodiscard]] Status remove_stale_temporaries(
    const std::string& folder, const std::function<bool(std::string_view final_name)>& mine);

}  // namespace hotpack::writer
