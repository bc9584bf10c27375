// Runs work on several threads, and returns when all of it is done.
//
// Free functions. If the system cannot start all requested threads, the threads that run do all the
// work, including the caller's. `work` must not throw.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include "loader/blocked_signals.hpp"

namespace hotpack::device {

// Calls work(thread) on up to `count` threads at once, including the caller's.
template <class Work>
void on_threads(unsigned count, const Work& work) {
  std::vector<std::thread> threads;
  {
    const loader::BlockedSignals blocked;
    try {
      threads.reserve(count);
      for (unsigned number = 1; number < count; ++number)
        threads.emplace_back([&work, number] { work(number); });
    } catch (const std::exception&) {  // the running threads do the work
    }
  }
  work(0);
  for (std::thread& thread : threads) thread.join();
}

// Divides the numbers 0 … count − 1 into ranges [first, last) of at most `at_once` numbers, and
// calls work(first, last) for each range, on up to `threads` threads.
template <class Work>
void for_ranges(std::uint64_t count, std::uint64_t at_once, unsigned threads, const Work& work) {
  std::atomic<std::uint64_t> next{0};
  const std::uint64_t ranges = count / at_once + 1;
  on_threads(static_cast<unsigned>(std::min<std::uint64_t>(threads, ranges)), [&](unsigned) {
    for (std::uint64_t first = next.fetch_add(at_once); first < count;
         first = next.fetch_add(at_once)) {
      work(first, std::min(first + at_once, count));
    }
  });
}

}  // namespace hotpack::device
