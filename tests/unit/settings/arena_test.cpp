#include "settings/arena.hpp"

#include <tbb/task_arena.h>

#include "support/catch.hpp"

using namespace hotpack::pipeline;

TEST_CASE("work gets as many threads as the system starts, never none") {
  CHECK(available_threads(-1) == 1);
  CHECK(available_threads(1) == 1);
  CHECK(available_threads(5) == 5);
  CHECK(with_threads(5, [] { return tbb::this_task_arena::max_concurrency(); }) == 5);
}
