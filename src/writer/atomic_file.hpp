// A file that appears whole under its final name or not at all.
//
// It is written under a temporary name (base/temporary_name) in the same folder, created exclusively and locked (flock) for its life, so
// that another run can tell a live temporary file from one that a killed run left behind. Ownership: owns the descriptor and, until
// commit(), the temporary file: the destructor removes it. Thread-safety: file() may be written at different places from several threads;
// everything else from one. Failure: code `io`.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "hotpack/result.hpp"

namespace hotpack::writer {

class AtomicFile {
 public:
  [[nodiscard]] static Result<AtomicFile> create(const std::string& folder, const std::string& final_name);
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  [[nodiscard]] const File& file() const { return file_; }

  // Flushes the data to disk, renames to the final name (replacing a file of that name), flushes the folder.
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
[[nodiscard]] Status write_file_atomically(const std::string& folder, const std::string& final_name, std::string_view content);

// Removes temporary files whose final name satisfies `mine` and whose lock this process gets: leftovers of killed runs. Those of
// running processes stay. A missing folder is no error.
[[nodiscard]] Status remove_stale_temporaries(const std::string& folder, const std::function<bool(std::string_view final_name)>& mine);

}  // namespace hotpack::writer
