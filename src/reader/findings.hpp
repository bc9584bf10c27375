// Findings of verify as they come up: all are counted, the first ones kept.
//
// Ownership: owns what it keeps. Not thread-safe: each worker fills its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hotpack/result.hpp"
#include "hotpack/verify.hpp"

namespace hotpack::reader {

class Findings {
 public:
  explicit Findings(std::size_t max_kept) : max_kept_(max_kept) {}

  void add(VerifyFinding finding);
  // What `error` says, about `file`.
  void add(const std::string& file, const Error& error);
  // A finding about a file as a whole, or about one byte of it.
  void add(const std::string& file, std::string text, std::optional<std::uint64_t> offset = {});
  // Those of several workers, each in the order of records, as one worker alone would have found them.
  void merge(std::vector<Findings> parts);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::vector<VerifyFinding> take() { return std::move(kept_); }

 private:
  std::size_t max_kept_;
  std::uint64_t count_ = 0;
  std::vector<VerifyFinding> kept_;
};

}  // namespace hotpack::reader
