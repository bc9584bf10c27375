#include "device/driver.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::device {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";
// Where the driver's library may be in Kubernetes containers and in Windows' Linux (WSL). The
// system's loader does not search there.
constexpr const char* kOtherLibraries[] = {"/usr/local/nvidia/lib64/libcuda.so.1",
                                           "/usr/lib/wsl/lib/libcuda.so.1"};

// The types of cuGetProcAddress: since CUDA 12.0, and from 11.3 to 11.8.
using FindSince12 = int (*)(const char* symbol, void** function, int version, std::uint64_t flags,
                            int* status);
using FindSince11 = int (*)(const char* symbol, void** function, int version, std::uint64_t flags);

// Returns "12.0" for 12000.
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string oldest_text() {
  return "hotpack needs a driver that supports CUDA " + version_text(Driver::kOldestVersion) +
         " or newer";
}

Error no_library(const std::string& reason) {
  return usage_error(std::string("no CUDA driver on this machine: ") + kLibrary +
                     " cannot be opened (" + reason +
                     "); install the driver of the graphics card, start a container with access "
                     "to the GPU, or use Loader, which needs no driver");
}

Error stub_library() {
  return usage_error(std::string("the ") + kLibrary +
                     " that was found is the stub of a CUDA toolkit, which is for linking only; "
                     "remove its folder (…/stubs) from LD_LIBRARY_PATH, so that the library of "
                     "an installed driver is found");
}

// The advice if no device is found: CUDA_VISIBLE_DEVICES may hide some or all devices.
std::string visible_devices_text() {
  const char* value = std::getenv("CUDA_VISIBLE_DEVICES");
  if (value == nullptr)
    return "check that nvidia-smi lists a device; start a container with access to the GPU";
  return std::string("CUDA_VISIBLE_DEVICES is \"") + value +
         "\": unset it, or set it to devices that nvidia-smi lists";
}

Error no_device() {
  return usage_error("the CUDA driver finds no device; " + visible_devices_text());
}

Error driver_mismatch() {
  return usage_error(
      "the CUDA driver's library and its kernel module have different versions "
      "(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH); restart the machine if the driver was updated; in a "
      "container, use the host's library, not the container's own one");
}

Error system_not_ready() {
  return usage_error(
      "the CUDA driver reports that the system is not ready (CUDA_ERROR_SYSTEM_NOT_READY), even if "
      "nvidia-smi lists its devices; if NVSwitch joins the GPUs, start the fabric manager in the "
      "driver's version (check with systemctl status nvidia-fabricmanager); otherwise wait until "
      "the driver's services have started");
}

Error compat_not_supported() {
  return usage_error(
      "the libcuda.so.1 that was found is a library for forward compatibility, which does not "
      "support this GPU (CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE); remove its folder "
      "(/usr/local/cuda/compat, …) from LD_LIBRARY_PATH and from the configuration of the system's "
      "loader (ld.so.conf), so that the library of the installed driver is found");
}

Error forked() {
  return usage_error(
      "CUDA cannot be used in a process that was forked after CUDA's first use; start such "
      "processes with spawn or exec, or use CUDA only after the fork");
}

Error too_old(int version) {
  return usage_error("the CUDA driver is too old: it supports CUDA " + version_text(version) +
                     ", but " + oldest_text() + "; update the driver");
}

Error missing_function(const char* name) {
  return usage_error(std::string("the CUDA driver is too old: it has no ") + name + "; " +
                     oldest_text() + "; update the driver");
}

Error initialization_error(const Error& failed) {
  return usage_error("the CUDA driver cannot be used: " + failed.message +
                     "; run nvidia-smi, and reinstall the driver if that fails too");
}

Result<void*> open_library() {
  if (void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL)) return library;
  const char* const told = dlerror();
  const std::string reason = told == nullptr ? "no reason given" : told;
  // the library exists but cannot be opened: do not skip it
  if (reason.find(std::strerror(ENOENT)) == std::string::npos) return no_library(reason);
  for (const char* const path : kOtherLibraries) {
    if (void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return no_library(reason + "; nor is it in /usr/local/nvidia/lib64 or /usr/lib/wsl/lib");
}

// Finds functions in the library.
class Finder {
 public:
  explicit Finder(void* library)
      : since_12_(reinterpret_cast<FindSince12>(dlsym(library, "cuGetProcAddress_v2"))),
        since_11_(reinterpret_cast<FindSince11>(dlsym(library, "cuGetProcAddress"))) {}

  // Returns null if the library lacks the function. Fails if the library is a stub.
  [[nodiscard]] Result<void*> find(const char* name, int version) const {
    void* function = nullptr;
    int code = code::kNotFound;
    int status = 0;
    if (since_12_ != nullptr) {
      code = since_12_(name, &function, version, 0, &status);
    } else if (since_11_ != nullptr) {
      code = since_11_(name, &function, version, 0);
    }
    if (code == code::kStubLibrary) return stub_library();
    return code == code::kSuccess ? function : nullptr;
  }

 private:
  FindSince12 since_12_;
  FindSince11 since_11_;
};

Result<DriverTable> open_table(void* library) {
  const Finder finder(library);
  DriverTable table;
#define HOTPACK_DRIVER_FIND(name, version, parameters)                      \
  do {                                                                      \
    HOTPACK_ASSIGN(void* const function, finder.find("cu" #name, version)); \
    if (function == nullptr) return missing_function("cu" #name);           \
    table.name = reinterpret_cast<decltype(table.name)>(function);          \
  } while (false);
  HOTPACK_DRIVER_CALLS(HOTPACK_DRIVER_FIND)
#undef HOTPACK_DRIVER_FIND
  return table;
}

Result<std::shared_ptr<const Driver>> make_of(void* library) {
  HOTPACK_ASSIGN(const DriverTable table, open_table(library));
  return Driver::make(table);
}

// True for the stub of a toolkit: its functions do nothing but return this code.
bool is_stub(void* library) {
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit"));
  return init != nullptr && init(0) == code::kStubLibrary;
}

// The driver that Driver::load() returns. It is never destroyed, because destructors of static
// objects may still use it.
struct ProcessDriver {
  std::mutex mutex;
  std::shared_ptr<const Driver> driver;
  pid_t process = 0;
};

ProcessDriver& process_driver() {
  static auto& kept = *new ProcessDriver;
  return kept;
}

// True for errors of a kernel, which the next call reports, whatever it does.
bool is_of_a_kernel(int code) {
  return code == code::kIllegalAddress || (code >= 702 && code <= code::kLaunchFailed);
}

}  // namespace

Result<std::shared_ptr<const Driver>> Driver::load() {
  ProcessDriver& kept = process_driver();
  const std::lock_guard lock(kept.mutex);
  if (kept.driver != nullptr && kept.process != getpid()) return forked();
  if (kept.driver == nullptr) {
    HOTPACK_ASSIGN(void* const library, open_library());
    auto driver = make_of(library);
    if (!driver.ok()) {
      // Closes a stub (a library of the driver's name without functions). While it is open, the
      // system would return it even if a driver is installed later. The library of a real driver
      // stays open, because it may have started threads.
      if (is_stub(library)) dlclose(library);
      return std::move(driver).error();
    }
    kept.driver = *std::move(driver);
    kept.process = getpid();
  }
  return kept.driver;
}

Result<std::shared_ptr<const Driver>> Driver::make(const DriverTable& table) {
  const std::shared_ptr<Driver> driver(new Driver(table));
  HOTPACK_TRY(driver->initialize());
  return std::shared_ptr<const Driver>(driver);
}

Status Driver::initialize() {
  switch (const int code = table_.Init(0)) {
    case code::kSuccess:
      break;
    case code::kStubLibrary:
      return stub_library();
    case code::kNoDevice:
    case code::kInvalidDevice:
      return no_device();
    case code::kNotInitialized:
      return forked();
    case code::kSystemDriverMismatch:
      return driver_mismatch();
    case code::kSystemNotReady:
      return system_not_ready();
    case code::kCompatNotSupported:
      return compat_not_supported();
    default:
      return initialization_error(check("cuInit", code).error());
  }
  HOTPACK_TRY(check("cuDriverGetVersion", table_.DriverGetVersion(&version_)));
  if (version_ < kOldestVersion) return too_old(version_);
  HOTPACK_TRY(check("cuDeviceGetCount", table_.DeviceGetCount(&devices_)));
  if (devices_ < 1) return no_device();
  return {};
}

Status Driver::check(const char* call, int code) const {
  if (code == code::kSuccess) return {};
  const char* name = nullptr;
  const char* text = nullptr;
  if (table_.GetErrorName(code, &name) != code::kSuccess || name == nullptr) name = "unknown error";
  if (table_.GetErrorString(code, &text) != code::kSuccess) text = nullptr;
  std::string message = std::string(call) + " failed: " + name + " (" + std::to_string(code) + ")";
  if (text != nullptr) message += std::string(", ") + text;
  if (is_of_a_kernel(code)) {
    message +=
        "; a kernel of this process has failed, not necessarily hotpack's; find it with "
        "CUDA_LAUNCH_BLOCKING=1 or compute-sanitizer";
  }
  return Error{ErrorCode::io, std::move(message), {}, {}};
}

}  // namespace hotpack::device
