#include "settings/arena.hpp"

#include <tbb/task_arena.h>

#include <filesystem>
#include <iterator>

#include "support/catch.hpp"

using namespace hotpack::pipeline;

TEST_CASE("work gets as many threads as the system starts, never none") {
  CHECK(available_threads(-1) == 1);
  CHECK(available_threads(1) == 1);
  CHECK(available_threads(5) == 5);
  CHECK(with_threads(5, [] { return tbb::this_task_arena::max_concurrency(); }) == 5);
}

TEST_CASE("every thread of the work has started when the work begins") {
  const auto threads_of_process = [] {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  CHECK(with_threads(4, threads_of_process) >= 4);
  CHECK(with_threads(1, [] { return 7; }) == 7);
}
