// Collects the findings of verify: counts all of them, keeps the first ones.
//
// Ownership: owns the findings. Not thread-safe: each worker has its own.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "hotpack/result.hpp"
#include "hotpack/verify.hpp"

namespace hotpack::reader {

class Findings {
 public:
  explicit Findings(std::size_t max_kept) : max_kept_(max_kept) {}

  void add(VerifyFinding finding);
  // Adds an error about `file`.
  void add(const std::string& file, const Error& error);
  // Adds a finding about a file as a whole, or about one byte of it.
  void add(const std::string& file, std::string text, std::optional<std::uint64_t> offset = {});
  // Adds the findings of several workers. Each worker found its own in the order of records; the
  // merged findings are in the order in which a single worker would have found them.
  void merge(std::vector<Findings> parts);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Returns the names of all files with a finding other than `io`, kept or not, sorted.
  [[nodiscard]] std::vector<std::string> damaged_files() const {
    return {damaged_files_.begin(), damaged_files_.end()};
  }
  [[nodiscard]] std::vector<VerifyFinding> take() { return std::move(kept_); }

 private:
  std::size_t max_kept_;
  std::uint64_t count_ = 0;
  std::set<std::string> damaged_files_;
  std::vector<VerifyFinding> kept_;
};

}  // namespace hotpack::reader
