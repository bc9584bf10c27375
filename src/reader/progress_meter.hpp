// Adds up the progress of verify's workers and reports it to the caller's callback, one call at a
// time.
//
// Ownership: copies the callback. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <utility>

#include "hotpack/verify.hpp"

namespace hotpack::reader {

class ProgressMeter {
 public:
  ProgressMeter(std::function<bool(const VerifyProgress&)> callback, std::uint64_t shards_total,
                std::uint64_t records_total)
      : callback_(std::move(callback)) {
    progress_.shards_total = shards_total;
    progress_.records_total = records_total;
  }

  void add(std::uint64_t records, std::uint64_t bytes, std::uint64_t findings) {
    const std::lock_guard lock(mutex_);
    progress_.records_done += records;
    progress_.bytes_done += bytes;
    progress_.findings += findings;
    tell();
  }
  // Adds a finished shard, with `findings` about it as a whole.
  void add_shard(std::uint64_t findings) {
    const std::lock_guard lock(mutex_);
    ++progress_.shards_done;
    progress_.findings += findings;
    tell();
  }
  [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

 private:
  void tell() {
    if (callback_ && !stopped() && !callback_(progress_))
      stopped_.store(true, std::memory_order_relaxed);
  }

  std::function<bool(const VerifyProgress&)> callback_;
  std::mutex mutex_;
  VerifyProgress progress_;
  std::atomic<bool> stopped_{false};
};

}  // namespace hotpack::reader
