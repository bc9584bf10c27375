#include "label_setup/first_failure.hpp"

#include "base/error.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

TEST_CASE("the first failure is kept, and only samples after it are skipped") {
  FirstFailure failure;
  CHECK_FALSE(failure.error());
  CHECK_FALSE(failure.skips({9, 9}));
  failure.add({1, 5}, data_error("later"));
  CHECK_FALSE(failure.skips({0, 7}));
  CHECK_FALSE(failure.skips({1, 4}));
  CHECK(failure.skips({1, 6}));
  CHECK(failure.skips({2, 0}));
  failure.add({0, 7}, data_error("first"));
  failure.add({1, 2}, data_error("between"));
  failure.add({0, 7}, data_error("of the same sample"));
  CHECK(failure.error()->message == "first");
  CHECK(failure.skips({0, 8}));
  CHECK_FALSE(failure.skips({0, 6}));
}
