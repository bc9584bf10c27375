// A file that appears under its final name when it is complete, or never.
//
// The data go to a temporary name (base/temporary_name) in the same folder. The file is created
// exclusively and stays locked (flock) where the file system has locks; its name tells which
// process made it. By both, other runs can tell a live temporary file from a leftover. Where
// neither helps, because a run on another machine does not see the lock, that run may remove the
// live file; commit() then puts up with that. Ownership: owns the descriptor and, until commit(),
// the temporary file, which the destructor removes. Thread-safety: several threads may write to
// file() at different offsets; one thread at a time calls everything else. Failure: code `io`.
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
  // True if the file is locked; false if its file system has no locks.
  [[nodiscard]] bool is_locked() const { return locked_; }

  // Says whether a finished file under the final name equals this one.
  using IsEqual = std::function<bool(const File& finished)>;
  // Flushes the data to disk, renames the file to its final name (replacing an existing file),
  // and flushes the folder. If the temporary file has vanished: an equal file under the final name
  // is as good, and otherwise the data are written again. `is_equal` spares comparing all bytes.
  [[nodiscard]] Status commit(const IsEqual& is_equal = {});

  // Gives the file another temporary name, to see whether the file system can rename.
  [[nodiscard]] Status rename_temporary();

 private:
  AtomicFile(File file, std::string folder, std::string final_name, bool locked)
      : file_(std::move(file)),
        path_(file_.path()),
        folder_(std::move(folder)),
        final_name_(std::move(final_name)),
        locked_(locked) {}
  [[nodiscard]] std::string target() const { return folder_ + "/" + final_name_; }
  [[nodiscard]] Status publish() const;
  [[nodiscard]] bool is_finished(const IsEqual& is_equal) const;
  [[nodiscard]] bool has_equal_bytes(const File& finished) const;
  [[nodiscard]] Status write_again();
  File file_;
  std::string path_;  // the temporary name
  std::string folder_;
  std::string final_name_;
  bool locked_ = false;
  bool remove_ = true;
};

// Writes a whole small file atomically.
[[nodiscard]] Status write_file_atomically(const std::string& folder, const std::string& final_name,
                                           std::string_view content);

// Which temporary files of other machines are leftovers, where locks do not show who lives.
enum class OtherMachines {
  may_write,  // only files that nobody has changed for a day, by the clock of the file system
  are_done,   // all of them
};

// Removes temporary files of killed runs: those whose final name satisfies `mine` and whose writer
// is gone. A writer lives if it holds its lock, or is a running process of this system. It is gone
// if its process here has ended, or if its lock is free and locks reach every machine; otherwise
// `others` decides. A file that cannot be removed stays. A missing folder is not an error.
[[nodiscard]] Status remove_stale_temporaries(
    const std::string& folder, const std::function<bool(std::string_view final_name)>& mine,
    OtherMachines others = OtherMachines::may_write);

}  // namespace hotpack::writer
