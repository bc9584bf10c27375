#include "settings/arena.hpp"

#include <tbb/task_arena.h>

#include <chrono>
#include <cstddef>
#include <thread>

#include "support/catch.hpp"
#include "support/own_threads.hpp"

using namespace hotpack::pipeline;

TEST_CASE("work gets as many threads as the system starts, never none") {
  CHECK(available_threads(-1) == 1);
  CHECK(available_threads(1) == 1);
  CHECK(available_threads(5) == 5);
  CHECK(with_threads(5, [] { return tbb::this_task_arena::max_concurrency(); }) == 5);
}

TEST_CASE("every thread of the work is started before the work begins") {
  // The start waits for the threads only for a short time; on a busy machine some come later.
  const auto threads_of_process = [] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    std::size_t count = hotpack::test::own_threads().size();
    for (; count < 4 && std::chrono::steady_clock::now() < end;
         count = hotpack::test::own_threads().size())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return count;
  };
  CHECK(with_threads(4, threads_of_process) >= 4);
  CHECK(with_threads(1, [] { return 7; }) == 7);
}
