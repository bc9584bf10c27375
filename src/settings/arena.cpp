#include "settings/arena.hpp"

#include <algorithm>
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

}  // namespace hotpack::pipeline
