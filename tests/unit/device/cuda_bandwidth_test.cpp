#include "device/cuda_bandwidth.hpp"

#include "support/catch.hpp"
#include "support/fake_cuda/fake_driver.hpp"

namespace hotpack::device {
namespace {

using test::FakeDriver;

TEST_CASE("bandwidths are measured and everything is given back") {
  const FakeDriver fake;
  const auto measured = bandwidth_of(fake.driver(), 0, 0);
  REQUIRE(measured.ok());
  CHECK(measured->bus > 0);
  CHECK(measured->memory > 0);
  CHECK(fake.held() == FakeDriver::Held{});
  CHECK(fake.violations() == std::vector<std::string>{});
}

TEST_CASE("bandwidths of a device that does not exist are refused") {
  const FakeDriver fake;
  const auto measured = bandwidth_of(fake.driver(), 7, 0);
  REQUIRE_FALSE(measured.ok());
  CHECK(measured.error().code == ErrorCode::usage);
  CHECK_THAT(measured.error().message, ContainsSubstring("no device 7"));
}

TEST_CASE("a failed copy is reported and everything is given back") {
  FakeDriver fake;
  fake.fail("MemcpyHtoDAsync", 3, code::kLaunchFailed);
  const auto measured = bandwidth_of(fake.driver(), 0, 0);
  REQUIRE_FALSE(measured.ok());
  CHECK(measured.error().code == ErrorCode::io);
  CHECK(fake.held() == FakeDriver::Held{});
}

}  // namespace
}  // namespace hotpack::device
