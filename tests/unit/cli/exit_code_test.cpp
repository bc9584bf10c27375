#include "cli/exit_code.hpp"

#include "base/error.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::cli;

TEST_CASE("every kind of error has its exit code") {
  CHECK(exit_code_of(data_error("x")) == 1);
  CHECK(exit_code_of(usage_error("x")) == 2);
  CHECK(exit_code_of(io_error("x", "y", 2)) == 3);
  CHECK(exit_code_of(damaged_error("x")) == 4);
  CHECK(exit_code_of(internal_error("x")) == 70);
}

TEST_CASE("every kind of error has its word") {
  CHECK(word_of(ErrorCode::usage) == "usage");
  CHECK(word_of(ErrorCode::data) == "data");
  CHECK(word_of(ErrorCode::io) == "io");
  CHECK(word_of(ErrorCode::damaged) == "damaged");
  CHECK(word_of(ErrorCode::internal) == "internal");
  CHECK(word_of(ErrorCode::timeout) == "timeout");
  CHECK(word_of(ErrorCode::cancelled) == "cancelled");
}
