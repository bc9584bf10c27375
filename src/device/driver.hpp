// The CUDA driver of this machine, found at run time. hotpack links no library of CUDA.
//
// Ownership: a Driver is a table of functions; the library stays open as long as the process runs.
// Thread-safe once made. Failure: code `usage` if there is no driver, only a stub of it, no device,
// or a driver that is too old; the text says what to do. Code `io` if a call fails.
#pragma once

#include <memory>
#include <string>

#include "device/driver_api.hpp"
#include "hotpack/result.hpp"

namespace hotpack::device {

class Driver {
 public:
  // Oldest version of CUDA that a driver must support.
  static constexpr int kOldestVersion = 12000;

  // Returns the driver of this process. The first successful call opens and initializes it; after a
  // failure, the next call tries again.
  [[nodiscard]] static Result<std::shared_ptr<const Driver>> load();
  // Makes a driver from the caller's table of functions, and initializes it: cuInit, a new enough
  // version, at least one device.
  [[nodiscard]] static Result<std::shared_ptr<const Driver>> make(const DriverTable& table);

  [[nodiscard]] const DriverTable& api() const { return table_; }
  [[nodiscard]] int version() const { return version_; }  // 13000 for 13.0
  [[nodiscard]] int devices() const { return devices_; }

  // Converts a driver's code to a Status: ok for 0, otherwise code `io` with a text such as
  // "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (2), out of memory".
  [[nodiscard]] Status check(const char* call, int code) const;

 private:
  explicit Driver(const DriverTable& table) : table_(table) {}
  [[nodiscard]] Status initialize();
  DriverTable table_;
  int version_ = 0;
  int devices_ = 0;
};

// Calls cu<name> of a Driver: HOTPACK_TRY(HOTPACK_DRIVER(driver, MemFree, memory)).
#define HOTPACK_DRIVER(driver, name, ...) \
  (driver).check("cu" #name, (driver).api().name(__VA_ARGS__))

}  // namespace hotpack::device
