// The CUDA driver of this machine, found at run time: a table of functions. Its library stays open.
//
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
  static constexpr int kOldestVersion = 12000;  // of CUDA, that a driver must support

  // The driver of this process. The first successful call opens it; after a failure, the next one
  // tries again.
  [[nodiscard]] static Result<std::shared_ptr<const Driver>> load();
  // A driver of the caller's functions: calls cuInit, needs a new enough version and a device.
  [[nodiscard]] static Result<std::shared_ptr<const Driver>> make(const DriverTable& table);

  [[nodiscard]] const DriverTable& api() const { return table_; }
  [[nodiscard]] int version() const { return version_; }  // 13000 for 13.0
  [[nodiscard]] int devices() const { return devices_; }
  // "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (2), out of memory"; ok for code 0.
  [[nodiscard]] Status check(const char* call, int code) const;

 private:
  explicit Driver(const DriverTable& table) : table_(table) {}
  DriverTable table_;
  int version_ = 0, devices_ = 0;
};

// Calls cu<name> of a Driver: HOTPACK_TRY(HOTPACK_DRIVER(driver, MemFree, memory)).
#define HOTPACK_DRIVER(driver, name, ...) \
  (driver).check("cu" #name, (driver).api().name(__VA_ARGS__))

}  // namespace hotpack::device
