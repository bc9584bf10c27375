// Creates the output folder if it is missing, and locks it, so that runs into one folder take
// turns.
//
// Two equal runs at the same time would do no harm: the last rename wins, with the same bytes. But
// a run with other options or --force would mix its shards with those of this run. The lock (flock
// on the folder) ends with the process in any case. If the file system has no locks, the folder is
// not locked. Ownership: owns the descriptor. Failure: `io`. The destructor removes folders that
// the object created, if they are empty and no other partition uses them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file_lock.hpp"
#include "hotpack/result.hpp"
#include "settings/observer.hpp"

namespace hotpack::pipeline {

class OutputLock {
 public:
  enum class Sharing {
    none,
    partitions
  };  // partitions of one plan write different files, so they may run at the same time
  // Takes the lock. While another run holds it, waits, and tells the user so. Returns nothing if
  // the user requests a stop meanwhile. `own`: folders that no other work uses, innermost first. At
  // the end they are removed if they are empty, even if an earlier run created them.
  [[nodiscard]] static Result<std::optional<OutputLock>> take(
      const std::string& folder, Sharing sharing, Observer& observer,
      const std::vector<std::string>& own = {});
  ~OutputLock();
  OutputLock(OutputLock&& other) noexcept;
  OutputLock& operator=(OutputLock&&) = delete;

 private:
  OutputLock(int descriptor, std::vector<std::string> made)
      : descriptor_(descriptor), made_(std::move(made)) {}
  [[nodiscard]] static Result<OutputLock> open(
      const std::string& folder);  // creates the folder if it is missing; does not lock it
  // Returns false if a stop was requested.
  [[nodiscard]] bool wait(const std::string& folder, LockKind kind, Observer& observer) const;
  int descriptor_;
  std::vector<std::string> made_;  // to be removed if empty; innermost first
};

}  // namespace hotpack::pipeline
