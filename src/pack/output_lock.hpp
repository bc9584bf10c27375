// The output folder while a run writes into it: made if need be, and locked, so that runs into one folder take turns.
//
// Equal runs at once would do no harm (the last rename wins with the same bytes), but a run with other options, or with --force, would
// mix its shards with ours. The lock (flock on the folder) ends with the process, however that ends. File systems without it: no lock.
// Ownership: owns the descriptor. Failure: `io`. When the object is destroyed, folders that it made are removed where they are empty
// and no other partition uses them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hotpack/result.hpp"
#include "settings/observer.hpp"

namespace hotpack::pipeline {

class OutputLock {
 public:
  enum class Sharing { none, partitions };  // partitions of one plan write different files: they go side by side
  // Waits while another run holds the folder, and says so. Absent: a stop was requested while waiting.
  [[nodiscard]] static Result<std::optional<OutputLock>> take(const std::string& folder, Sharing sharing, Observer& observer);
  ~OutputLock();
  OutputLock(OutputLock&& other) noexcept;
  OutputLock& operator=(OutputLock&&) = delete;

 private:
  OutputLock(int descriptor, std::vector<std::string> made) : descriptor_(descriptor), made_(std::move(made)) {}
  [[nodiscard]] static Result<OutputLock> open(const std::string& folder);  // made if need be, not locked yet
  // False: a stop was requested.
  [[nodiscard]] bool wait(const std::string& folder, int kind, Observer& observer) const;
  int descriptor_;
  std::vector<std::string> made_;  // innermost first
};

}  // namespace hotpack::pipeline
