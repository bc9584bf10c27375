// Detects whether records come from the disk or from the page cache at the moment. Uses the
// system's counters for the reading threads.
//
// A DiskMeter belongs to one thread. DiskWatch is thread-safe; its answer may be late by a few
// records. Failure: none. On a system without counters, nothing seems to come from the disk.
#pragma once

#include <sys/resource.h>

#include <atomic>
#include <cstdint>

namespace hotpack::loader {

// What a thread has read since it last queried the system.
struct DiskMeter {
  std::uint64_t bytes = 0;
  // page faults that waited for the disk, plus blocks read for this thread; −1: not queried yet
  long waits = -1;
};

class DiskWatch {
 public:
  [[nodiscard]] bool busy() const noexcept { return linger_.load(std::memory_order_relaxed) > 0; }

  // Adds bytes that a thread has read.
  void add(DiskMeter& meter, std::uint64_t bytes) noexcept {
    meter.bytes += bytes;
    if (meter.bytes >= kPeriod) look(meter);
  }

 private:
  // bytes between queries; one takes 0.3 µs
  static constexpr std::uint64_t kPeriod = std::uint64_t{4} << 20;
  static constexpr int kLinger = 32;  // periods without a wait until the disk counts as idle

  void look(DiskMeter& meter) noexcept {
    meter.bytes = 0;
    rusage usage{};
    if (::getrusage(RUSAGE_THREAD, &usage) != 0) return;
    const long waits = usage.ru_majflt + usage.ru_inblock;
    const bool waited = meter.waits >= 0 && waits != meter.waits;
    meter.waits = waits;
    const int left = linger_.load(std::memory_order_relaxed);
    if (waited) {
      linger_.store(kLinger, std::memory_order_relaxed);
    } else if (left > 0) {
      linger_.store(left - 1, std::memory_order_relaxed);
    }
  }

  std::atomic<int> linger_{0};
};

}  // namespace hotpack::loader
