#include "device/driver.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::device {
namespace {

// Paths of the driver's library: the system's loader does not search the folders of Kubernetes
// containers and of Windows' Linux (WSL).
constexpr const char* kLibraries[] = {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1",
                                      "/usr/lib/wsl/lib/libcuda.so.1"};
constexpr const char* kForked =
    "CUDA cannot be used in a process that was forked after CUDA's first use; start such processes "
    "with spawn or exec, or use CUDA only after the fork";

std::string version_text(int version) {  // "12.0" for 12000
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Error too_old(const std::string& lack) {
  return usage_error("the CUDA driver is too old: it " + lack +
                     ", but hotpack needs a driver that supports CUDA " +
                     version_text(Driver::kOldestVersion) + " or newer; update the driver");
}

Error no_device() {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return usage_error(
      std::string("the CUDA driver finds no device; ") +
      (visible == nullptr
           ? "check that nvidia-smi lists a device; start a container with access to the GPU"
           : std::string("CUDA_VISIBLE_DEVICES is \"") + visible +
                 "\": unset it, or set it to devices that nvidia-smi lists"));
}

// Why cuInit fails, and what to do.
const std::map<int, const char*>& reasons() {
  static const auto& texts = *new std::map<int, const char*>{
      {code::kStubLibrary,
       "the libcuda.so.1 that was found is the stub of a CUDA toolkit, which is for linking only; "
       "remove its folder (…/stubs) from LD_LIBRARY_PATH"},
      {code::kNotInitialized, kForked},
      {code::kSystemDriverMismatch,
       "the CUDA driver's library and its kernel module have different versions "
       "(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH); restart the machine if the driver was updated; in a "
       "container, use the host's library"},
      {code::kSystemNotReady,
       "the CUDA driver reports that the system is not ready (CUDA_ERROR_SYSTEM_NOT_READY); if "
       "NVSwitch joins the GPUs, start the fabric manager (systemctl status nvidia-fabricmanager); "
       "otherwise wait until the driver's services have started"},
      {code::kCompatNotSupported,
       "the libcuda.so.1 that was found is a library for forward compatibility, which does not "
       "support this GPU (CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE); remove its folder "
       "(/usr/local/cuda/compat, …) from LD_LIBRARY_PATH and ld.so.conf"}};
  return texts;
}

Result<void*> open_library() {
  std::string reason;
  for (const char* const path : kLibraries) {
    if (void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return library;
    const char* const told = dlerror();
    if (reason.empty() && told != nullptr) reason = told;
    // a library that exists but cannot be opened is not skipped
    if (reason.find(std::strerror(ENOENT)) == std::string::npos) break;
  }
  return usage_error("no CUDA driver on this machine: libcuda.so.1 cannot be opened (" + reason +
                     "); install the driver of the graphics card, start a container with access to "
                     "the GPU, or use Loader, which needs no driver");
}

Result<DriverTable> open_table(void* library) {
  // cuGetProcAddress, which has a further parameter since CUDA 12
  const auto since_12 = reinterpret_cast<int (*)(const char*, void**, int, std::uint64_t, int*)>(
      dlsym(library, "cuGetProcAddress_v2"));
  const auto before = reinterpret_cast<int (*)(const char*, void**, int, std::uint64_t)>(
      dlsym(library, "cuGetProcAddress"));
  DriverTable table;
  const auto find = [&](const char* name, int version) -> Result<void*> {
    void* function = nullptr;
    int status = 0, code = code::kNotFound;
    if (since_12 != nullptr) {
      code = since_12(name, &function, version, 0, &status);
    } else if (before != nullptr) {
      code = before(name, &function, version, 0);
    }
    if (code == code::kStubLibrary) return usage_error(reasons().at(code));
    if (code != code::kSuccess || function == nullptr)
      return too_old(std::string("has no ") + name);
    return function;
  };
#define HOTPACK_DRIVER_FIND(name, version, parameters)               \
  do {                                                               \
    HOTPACK_ASSIGN(void* const function, find("cu" #name, version)); \
    table.name = reinterpret_cast<decltype(table.name)>(function);   \
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

}  // namespace

Result<std::shared_ptr<const Driver>> Driver::load() {
  static std::mutex& mutex = *new std::mutex;  // never destroyed: used by static objects' ends
  static auto& driver = *new std::shared_ptr<const Driver>;
  static pid_t process = 0;
  const std::lock_guard lock(mutex);
  if (driver != nullptr && process != ::getpid()) return usage_error(kForked);
  if (driver != nullptr) return driver;
  HOTPACK_ASSIGN(void* const library, open_library());
  auto made = make_of(library);
  // Closes a stub: while it is open, the system would return it even if a driver is installed
  // later. The library of a real driver stays open, because it may have started threads.
  if (!made.ok() && is_stub(library)) dlclose(library);
  HOTPACK_ASSIGN(driver, std::move(made));
  process = ::getpid();
  return driver;
}

Result<std::shared_ptr<const Driver>> Driver::make(const DriverTable& table) {
  const std::shared_ptr<Driver> driver(new Driver(table));
  const int code = table.Init(0);
  if (code == code::kNoDevice || code == code::kInvalidDevice) return no_device();
  if (const auto reason = reasons().find(code); reason != reasons().end())
    return usage_error(reason->second);
  if (code != code::kSuccess) {
    return usage_error(
        "the CUDA driver cannot be used: " + driver->check("cuInit", code).error().message +
        "; run nvidia-smi, and reinstall the driver if that fails too");
  }
  HOTPACK_TRY(HOTPACK_DRIVER(*driver, DriverGetVersion, &driver->version_));
  if (driver->version_ < kOldestVersion)
    return too_old("supports CUDA " + version_text(driver->version_));
  HOTPACK_TRY(HOTPACK_DRIVER(*driver, DeviceGetCount, &driver->devices_));
  if (driver->devices_ < 1) return no_device();
  return std::shared_ptr<const Driver>(driver);
}

Status Driver::check(const char* call, int code) const {
  if (code == code::kSuccess) return {};
  const char *name = nullptr, *text = nullptr;
  if (table_.GetErrorName(code, &name) != code::kSuccess || name == nullptr) name = "unknown error";
  if (table_.GetErrorString(code, &text) != code::kSuccess) text = nullptr;
  std::string message = std::string(call) + " failed: " + name + " (" + std::to_string(code) + ")";
  if (text != nullptr) message += std::string(", ") + text;
  // errors of a kernel, which the next call reports, whatever it does
  if (code == code::kIllegalAddress || (code >= 702 && code <= code::kLaunchFailed)) {
    message +=
        "; a kernel of this process has failed, not necessarily hotpack's; find it with "
        "CUDA_LAUNCH_BLOCKING=1 or compute-sanitizer";
  }
  return Error{ErrorCode::io, std::move(message), {}, {}};
}

}  // namespace hotpack::device
