#include "bench/workers.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "support/catch.hpp"

using namespace hotpack::bench;

TEST_CASE("every piece of work is taken once, until there are no more") {
  const unsigned threads = GENERATE(1U, 2U, 5U);
  std::vector<std::atomic<int>> taken(100);
  std::atomic<bool> strange{false};
  const Pieces pieces = run_pieces(threads, 60, [&](unsigned thread, std::uint64_t piece) {
    if (thread >= threads) strange = true;
    if (piece >= taken.size()) return false;
    ++taken[piece];
    return true;
  });
  CHECK(pieces.done == 100);
  CHECK(pieces.seconds > 0);
  CHECK(std::all_of(taken.begin(), taken.end(),
                    [](const std::atomic<int>& count) { return count == 1; }));
  CHECK_FALSE(strange);
}

TEST_CASE("work ends when its time is up, and each thread does a piece at least") {
  std::atomic<std::uint64_t> calls{0};
  const Pieces pieces = run_pieces(3, 0, [&](unsigned, std::uint64_t) {
    ++calls;
    return true;
  });
  CHECK(pieces.done == 3);
  CHECK(calls == 3);
}

TEST_CASE("the time of work is never shorter than a piece of it") {
  for (int i = 0; i < 50; ++i) {
    const Pieces pieces = run_pieces(4, 0, [](unsigned, std::uint64_t) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return true;
    });
    REQUIRE(pieces.seconds >= 0.001);
  }
}

TEST_CASE("threads write to memory of their own, again and again") {
  ThreadBuffers buffers(2, 1000, 300);
  std::vector<std::byte*> first, second;
  for (int i = 0; i < 20'000; ++i) {
    first.push_back(buffers.take(0, 300));
    second.push_back(buffers.take(1, 300));
    std::memset(first.back(), 1, 300);
    std::memset(second.back(), 2, 300);
  }
  const auto aligned = [](const std::byte* place) {
    return reinterpret_cast<std::uintptr_t>(place) % 64 == 0;
  };
  CHECK(std::all_of(first.begin(), first.end(), aligned));
  CHECK(std::count(first.begin(), first.end(), first.front()) > 1);
  CHECK(*std::max_element(first.begin(), first.end()) + 300 <=
        *std::min_element(second.begin(), second.end()));
  CHECK(first.back()[299] == std::byte{1});
}
