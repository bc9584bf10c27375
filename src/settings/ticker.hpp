// Counts finished work of several threads and reports the progress to the Observer.
//
// Thread-safety: any thread may call tick(). The Observer is called under a lock, by one thread at
// a time.
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>

#include "settings/observer.hpp"

namespace hotpack::pipeline {

class Ticker {
 public:
  Ticker(Observer& observer, std::string_view stage, std::uint64_t samples_total)
      : observer_(observer) {
    progress_.stage = stage;
    progress_.samples_total = samples_total;
  }

  // One more sample is done.
  void tick(std::uint64_t bytes_in, std::uint64_t problems = 0) {
    const std::lock_guard lock(mutex_);
    ++progress_.samples_done;
    progress_.bytes_in += bytes_in;
    progress_.problems += problems;
    observer_.progress(progress_);
  }

 private:
  Observer& observer_;
  std::mutex mutex_;
  Progress progress_;
};

}  // namespace hotpack::pipeline
