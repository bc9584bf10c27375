#include "settings/arena.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <latch>
#include <system_error>
#include <thread>
#include <vector>

namespace hotpack::pipeline {

namespace {

// Returns how many of `wanted` threads the system starts at the same time.
std::size_t startable(std::size_t wanted) {
  std::latch seen_all(1);
  std::vector<std::jthread> threads;
  threads.reserve(wanted);
  try {
    while (threads.size() < wanted) threads.emplace_back([&seen_all] { seen_all.wait(); });
  } catch (const std::exception&) {  // the system starts no more, or memory is exhausted
  }
  seen_all.count_down();
  return threads.size();
}

}  // namespace

std::size_t available_threads(int wanted) {
  const auto most = static_cast<std::size_t>(std::max(1, wanted));
  if (most == 1) return 1;
  const std::size_t started = startable(most);
  if (started == most) return most;
  // The system still counts a thread for a moment after its end.
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return std::max<std::size_t>(1, started);
}

void start_threads(std::size_t count) noexcept {
  if (count == 1) return;
  using Clock = std::chrono::steady_clock;
  // Long enough for a busy machine; with fewer threads the work only starts later.
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(100);
  const tbb::global_control no_unwinding(tbb::global_control::terminate_on_exception, 1);
  std::atomic<std::size_t> started = 0;
  tbb::parallel_for(
      std::size_t{0}, count,
      [&](std::size_t) {
        ++started;
        while (started < count && Clock::now() < deadline) std::this_thread::yield();
      },
      tbb::simple_partitioner());
}

}  // namespace hotpack::pipeline
