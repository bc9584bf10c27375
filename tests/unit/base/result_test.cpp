#include "hotpack/result.hpp"

#include <cerrno>
#include <memory>
#include <stdexcept>
#include <type_traits>

#include "base/error.hpp"
#include "support/catch.hpp"

using namespace hotpack;

TEST_CASE("error() of a Result that holds a value is a programming error") {
  const Result<int> good = 1;
  CHECK_THROWS_AS(good.error(), std::logic_error);
  CHECK_THROWS_AS(Status{}.error(), std::logic_error);
}

TEST_CASE("an Error describes itself in one line") {
  CHECK(data_error("no", "x.png").describe() == "x.png: no");
  CHECK(data_error("no", "x\nerror: y.png").describe() == "x\\nerror: y.png: no");
  CHECK(io_error("cannot read", "f", EIO).message == "cannot read: Input/output error");
}

TEST_CASE("value() throws an Exception that keeps code, path and offset") {
  const Result<int> bad = damaged_error("its checksum differs", "shard", 4096);
  try {
    static_cast<void>(bad.value());
    FAIL("nothing was thrown");
  } catch (const Exception& exception) {
    CHECK(exception.code() == ErrorCode::damaged);
    CHECK(exception.error().path == "shard");
    CHECK(exception.error().offset == 4096);
    CHECK(std::string(exception.what()) == "shard: its checksum differs (at byte 4096)");
  }
  CHECK_THROWS_AS(Status(io_error("cannot read", "f", EIO)).value(), Exception);
  CHECK_NOTHROW(Status{}.value());
  static_assert(std::is_nothrow_copy_constructible_v<Exception>);
}

TEST_CASE("value_or gives the value or what is passed") {
  CHECK(Result<int>(1).value_or(2) == 1);
  CHECK(Result<int>(data_error("no")).value_or(2) == 2);
  CHECK(*Result<std::unique_ptr<int>>(data_error("no")).value_or(std::make_unique<int>(3)) == 3);
  CHECK(Result<int>(1).has_value());
  CHECK_FALSE(Result<int>(data_error("no")).has_value());
}
