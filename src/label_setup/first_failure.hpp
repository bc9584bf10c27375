// Several threads read samples; this class keeps the error of the first sample that cannot be read,
// in the order of lists and samples.
//
// A thread skips a sample only if an earlier sample has failed. So every sample before the one with
// the error has been read, and the error does not depend on the number of threads.
//
// Thread-safe. Failure: none.
#pragma once

#include <compare>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.hpp"

namespace hotpack::pipeline {

struct SamplePlace {
  std::size_t list = 0, sample = 0;
  auto operator<=>(const SamplePlace&) const = default;
};

class FirstFailure {
 public:
  void add(SamplePlace place, Error error) {
    const std::lock_guard lock(mutex_);
    if (error_ && place_ <= place) return;
    place_ = place;
    error_ = std::move(error);
  }

  // True if an earlier sample has failed, so that this one need not be read.
  [[nodiscard]] bool skips(SamplePlace place) const {
    const std::lock_guard lock(mutex_);
    return error_ && place_ < place;
  }

  // To call when the threads have ended. Absent if no sample has failed.
  [[nodiscard]] std::optional<Error> error() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }

 private:
  mutable std::mutex mutex_;
  SamplePlace place_;
  std::optional<Error> error_;
};

}  // namespace hotpack::pipeline
