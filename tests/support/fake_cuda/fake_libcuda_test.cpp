// The fake libcuda.so.1, as a program finds it: CMake runs this with LD_LIBRARY_PATH.
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "device/driver.hpp"
#include "device/handles.hpp"
#include "hotpack/device_loader.hpp"
#include "support/catch.hpp"

using namespace hotpack::device;

// Before the library is loaded.
[[maybe_unused]] static const int two_small_devices =
    ::setenv("HOTPACK_FAKE_DEVICES", "2", 1) + ::setenv("HOTPACK_FAKE_DEVICE_BYTES", "1000000", 1);

TEST_CASE("fake library: its devices cannot be mistaken for real ones") {
  const auto info = hotpack::cuda_info();
  REQUIRE(info.ok());
  CHECK(info->driver_version == 13000);
  REQUIRE(info->devices.size() == 2);
  CHECK(info->devices[1].name == "hotpack fake device (no GPU)");
  CHECK(info->devices[1].memory_bytes == 1000000);
}

TEST_CASE("fake library: a function is not found at a version of CUDA before its own") {
  using Find = int (*)(const char*, void**, int, std::uint64_t, int*);
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  REQUIRE(library != nullptr);
  const auto find = reinterpret_cast<Find>(dlsym(library, "cuGetProcAddress_v2"));
  REQUIRE(find != nullptr);
  void* function = nullptr;
  int status = -1;
  CHECK(find("cuMemAlloc", &function, 3010, 0, &status) == code::kNotFound);
  CHECK(function == nullptr);
  CHECK(status == 2);  // CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
  CHECK(find("cuMemAlloc", &function, 3020, 0, &status) == code::kSuccess);
  CHECK(function != nullptr);
  CHECK(status == 0);
  CHECK(find("cuNoSuch", &function, 13000, 0, &status) == code::kNotFound);
  CHECK(status == 1);
}

TEST_CASE("fake library: copies arrive at once and memory is limited") {
  const auto driver = Driver::load();
  REQUIRE(driver.ok());
  const auto context = Context::retain(driver.value(), 1);
  REQUIRE(context.ok());
  const CurrentContext current(*context.value());
  REQUIRE(current.status().ok());
  CHECK_FALSE(DeviceMemory::take(context.value(), 1000001).ok());
  const auto memory = DeviceMemory::take(context.value(), 1000000);
  REQUIRE(memory.ok());
  const auto stream = Stream::create(context.value());
  REQUIRE(stream.ok());
  const std::vector<char> bytes(1000, 'x');
  const DriverTable& api = driver.value()->api();
  CHECK(api.MemcpyHtoDAsync(memory->address(), bytes.data(), bytes.size(), stream->handle()) == code::kSuccess);
  CHECK(std::memcmp(reinterpret_cast<const void*>(static_cast<std::uintptr_t>(memory->address())), bytes.data(), bytes.size()) == 0);
}
