// Messages about a driver that cannot be used, and about a call that fails. driver_probe.cmake
// tests Driver::load.
#include "device/driver.hpp"

#include <cstdlib>
#include <string>

#include "device/kernels.hpp"
#include "device/open.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda/fake_driver.hpp"

namespace hotpack::device {
namespace {

using test::FakeDriver;

// The text of the error of Driver::make if cuInit returns `code`.
std::string text_of_init(int code) {
  FakeDriver fake;
  fake.fail("Init", 0, code);
  const auto driver = Driver::make(fake.table());
  REQUIRE(!driver.ok());
  CHECK(driver.error().code == ErrorCode::usage);
  return driver.error().message;
}

TEST_CASE("the oldest driver is accepted, the one before it refused") {
  const auto made = [](int version) {
    const FakeDriver fake({.version = version});
    return Driver::make(fake.table());
  };
  CHECK(made(Driver::kOldestVersion).ok());
  const auto refused = made(11080);
  REQUIRE(!refused.ok());
  CHECK(refused.error().code == ErrorCode::usage);
  CHECK_THAT(refused.error().message, ContainsSubstring("supports CUDA 11.8") &&
                                          ContainsSubstring("CUDA 12.0 or newer; update"));
}

TEST_CASE("a driver that cannot be initialized gives reason and advice") {
  struct Case {
    int code;
    const char *reason, *advice;
  };
  for (const auto& [code, reason, advice] :
       {Case{code::kStubLibrary, "stub", "LD_LIBRARY_PATH"},
        Case{code::kSystemDriverMismatch, "different versions", "restart"},
        Case{code::kSystemNotReady, "CUDA_ERROR_SYSTEM_NOT_READY", "fabric manager"},
        Case{code::kCompatNotSupported, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "/compat"},
        Case{code::kNotInitialized, "forked", "spawn"},
        Case{code::kUnknown, "cuInit failed: CUDA_ERROR_UNKNOWN (999)", "nvidia-smi"}})
    CHECK_THAT(text_of_init(code), ContainsSubstring(reason) && ContainsSubstring(advice));
}

TEST_CASE("without devices CUDA_VISIBLE_DEVICES is reported") {
  constexpr const char* kName = "CUDA_VISIBLE_DEVICES";
  const char* const before = std::getenv(kName);
  const std::string value = before == nullptr ? "" : before;
  ::unsetenv(kName);
  CHECK_THAT(text_of_init(code::kNoDevice), ContainsSubstring("no device") &&
                                                ContainsSubstring("nvidia-smi") &&
                                                !ContainsSubstring(kName));
  ::setenv(kName, "", 1);
  const FakeDriver none({.devices = 0});
  CHECK_THAT(Driver::make(none.table()).error().message,
             ContainsSubstring("CUDA_VISIBLE_DEVICES is \"\": unset it"));
  before == nullptr ? ::unsetenv(kName) : ::setenv(kName, value.c_str(), 1);
}

TEST_CASE("a failing call is reported with the driver's name and error text") {
  const FakeDriver fake;
  const auto driver = fake.driver();
  CHECK(driver->check("cuMemAlloc", code::kSuccess).ok());
  const auto failed = driver->check("cuMemAlloc", code::kOutOfMemory);
  REQUIRE(!failed.ok());
  CHECK(failed.error().code == ErrorCode::io);
  CHECK(failed.error().message == "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (2), out of memory");
  CHECK(driver->check("cuMemFree", 12345).error().message ==
        "cuMemFree failed: unknown error (12345)");
}

TEST_CASE("devices are described without contexts, and with free memory in one") {
  FakeDriver fake({.devices = 2, .device_bytes = 1 << 20});
  const auto info = info_of(fake.driver()).value();
  REQUIRE(info.devices.size() == 2);
  CHECK(info.driver_version == 13000);
  CHECK(info.kernels == embedded_kernels_text());
  CHECK(info.devices[1].ordinal == 1);
  CHECK(!info.devices[1].name.empty());
  CHECK(info.devices[1].memory_bytes == 1 << 20);
  CHECK(info.devices[1].free_bytes == 0);
  CHECK(fake.calls("DevicePrimaryCtxRetain") == 0);  // a context takes memory and time
  const auto used = Context::retain(fake.driver(), 1).value();
  CHECK(info_of(fake.driver()).value().devices.at(1).free_bytes == 1 << 20);
  fake.fail("DevicePrimaryCtxRetain", 0, 46);
  CHECK(info_of(fake.driver()).value().devices.at(1).free_bytes == 0);
  CHECK(fake.held() == FakeDriver::Held{.retained = 1});
  CHECK(fake.violations().empty());
}

}  // namespace
}  // namespace hotpack::device
