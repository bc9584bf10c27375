// Messages about a driver that cannot be used, and about a call that fails. driver_probe.cmake
// tests Driver::load.
#include "device/driver.hpp"

#include <cstdlib>
#include <string>

#include "device/cuda_info.hpp"
#include "device/handles.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda/fake_driver.hpp"

namespace hotpack::device {
namespace {

using test::FakeDriver;

// The error of Driver::make if cuInit returns `code`.
Error error_of_init(int code) {
  FakeDriver fake;
  fake.fail("Init", 0, code);
  const auto driver = Driver::make(fake.table());
  REQUIRE(!driver.ok());
  CHECK(driver.error().code == ErrorCode::usage);
  return driver.error();
}

class VisibleDevices {
 public:
  explicit VisibleDevices(const char* value)
      : had_(std::getenv(kName) != nullptr), before_(had_ ? std::getenv(kName) : "") {
    value == nullptr ? ::unsetenv(kName) : ::setenv(kName, value, 1);
  }
  ~VisibleDevices() { had_ ? ::setenv(kName, before_.c_str(), 1) : ::unsetenv(kName); }
  VisibleDevices(const VisibleDevices&) = delete;
  VisibleDevices& operator=(const VisibleDevices&) = delete;

 private:
  static constexpr const char* kName = "CUDA_VISIBLE_DEVICES";
  bool had_;
  std::string before_;
};

TEST_CASE("a driver reports its version and devices") {
  const FakeDriver fake({.devices = 3, .version = 12040});
  const auto driver = Driver::make(fake.table()).value();
  CHECK(driver->version() == 12040);
  CHECK(driver->devices() == 3);
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
                                          ContainsSubstring("CUDA 12.0 or newer") &&
                                          ContainsSubstring("update the driver"));
}

TEST_CASE("a driver that cannot be initialized gives reason and advice") {
  CHECK_THAT(error_of_init(code::kStubLibrary).message,
             ContainsSubstring("stub") && ContainsSubstring("LD_LIBRARY_PATH"));
  CHECK_THAT(error_of_init(code::kSystemDriverMismatch).message,
             ContainsSubstring("different versions") && ContainsSubstring("restart"));
  CHECK_THAT(
      error_of_init(code::kSystemNotReady).message,
      ContainsSubstring("CUDA_ERROR_SYSTEM_NOT_READY") && ContainsSubstring("fabric manager"));
  CHECK_THAT(error_of_init(code::kCompatNotSupported).message,
             ContainsSubstring("CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE") &&
                 ContainsSubstring("/usr/local/cuda/compat"));
  CHECK_THAT(error_of_init(code::kNotInitialized).message, ContainsSubstring("forked"));
  CHECK_THAT(error_of_init(code::kUnknown).message,
             ContainsSubstring("cuInit failed: CUDA_ERROR_UNKNOWN (999)") &&
                 ContainsSubstring("nvidia-smi"));
}

TEST_CASE("without devices CUDA_VISIBLE_DEVICES is reported") {
  {
    const VisibleDevices unset(nullptr);
    const auto message = error_of_init(code::kNoDevice).message;
    CHECK_THAT(message, ContainsSubstring("no device") && ContainsSubstring("nvidia-smi"));
    CHECK_THAT(message, !ContainsSubstring("CUDA_VISIBLE_DEVICES"));
  }
  const VisibleDevices empty("");
  CHECK_THAT(error_of_init(code::kNoDevice).message,
             ContainsSubstring("CUDA_VISIBLE_DEVICES is \"\""));
  const FakeDriver none({.devices = 0});
  const auto driver = Driver::make(none.table());
  REQUIRE(!driver.ok());
  CHECK(driver.error().code == ErrorCode::usage);
  CHECK_THAT(driver.error().message, ContainsSubstring("CUDA_VISIBLE_DEVICES is \"\": unset it"));
}

TEST_CASE("a failing call is reported with the driver's name and error text") {
  const FakeDriver fake;
  const auto driver = fake.driver();
  CHECK(driver->check("cuMemAlloc", code::kSuccess).ok());
  const auto failed = driver->check("cuMemAlloc", code::kOutOfMemory);
  REQUIRE(!failed.ok());
  CHECK(failed.error().code == ErrorCode::io);
  CHECK_THAT(failed.error().message,
             ContainsSubstring("cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (2), "));
}

TEST_CASE("a code that the driver does not know is reported as a number") {
  FakeDriver fake;
  const auto driver = fake.driver();
  fake.fail("GetErrorName", 0, code::kInvalidValue);
  fake.fail("GetErrorString", 0, code::kInvalidValue);
  CHECK(driver->check("cuMemFree", 12345).error().message ==
        "cuMemFree failed: unknown error (12345)");
}

TEST_CASE("describing the devices of a driver leaves nothing behind") {
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
  CHECK(fake.held() == FakeDriver::Held{});
  CHECK(fake.violations().empty());
}

TEST_CASE("free memory is known for devices that this process uses") {
  FakeDriver fake({.devices = 2, .device_bytes = 1 << 20});
  const auto used = Context::retain(fake.driver(), 1).value();
  const auto info = info_of(fake.driver()).value();
  CHECK(info.devices.at(0).free_bytes == 0);
  CHECK(info.devices.at(1).free_bytes == 1 << 20);
  CHECK(fake.held().retained == 1);
}

TEST_CASE("a device without a context is described without free memory") {
  FakeDriver fake;
  const auto used = Context::retain(fake.driver(), 0).value();
  fake.fail("DevicePrimaryCtxRetain", 0, code::kDeviceUnavailable);
  const auto info = info_of(fake.driver()).value();
  CHECK(info.devices.at(0).memory_bytes > 0);
  CHECK(info.devices.at(0).free_bytes == 0);
}

}  // namespace
}  // namespace hotpack::device
