// Prints the result of cuda_info(), or its error and exits with 1: a program that links hotpack,
// on a machine with or without CUDA.
//   driver_probe                          tries once
//   driver_probe again                    tries in vain, and tries again
//   driver_probe relink LINK FIRST SECOND the same with LINK, which leads to FIRST, then to SECOND
//   driver_probe fork                     tries in the parent, then in a child
//   driver_probe symbols LIBRARY          does not try: compares the functions that hotpack calls
//                                         with those of a libcuda.so.1; needs no device
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "device/driver_api.hpp"
#include "hotpack/device_loader.hpp"

namespace {

int probe() {
  const auto info = hotpack::cuda_info();
  if (!info.ok()) {
    std::printf("%s: %s\n", info.error().code == hotpack::ErrorCode::usage ? "usage" : "other",
                info.error().describe().c_str());
    return 1;
  }
  std::printf("CUDA %d; devices: %zu\n", info->driver_version, info->devices.size());
  for (const auto& device : info->devices) {
    std::printf("%d: %s, %d.%d, %llu of %llu bytes free\n", device.ordinal, device.name.c_str(),
                device.major, device.minor, static_cast<unsigned long long>(device.free_bytes),
                static_cast<unsigned long long>(device.memory_bytes));
  }
  return 0;
}

int probe_relinked(const char* link, const char* first, const char* second) {
  (void)::unlink(link);
  if (::symlink(first, link) != 0 || probe() == 0) return 2;
  (void)::unlink(link);
  return ::symlink(second, link) == 0 ? probe() : 3;
}

int probe_in_child() {
  if (probe() != 0) return 2;
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) std::exit(probe());
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

using Find = int (*)(const char* symbol, void** function, int version, unsigned long long flags,
                     int* status);

// True if the function exists in the form of this version, and an older version of CUDA has
// another form or none: so the version is the one since which it has this form.
bool has_form(Find find, const char* name, int version) {
  void *form = nullptr, *older = nullptr;
  const int code = find(name, &form, version, 0, nullptr);
  const int older_code = find(name, &older, version - 10, 0, nullptr);
  const bool good = code == 0 && form != nullptr && (older_code != 0 || older != form);
  if (!good) std::printf("%s %d: %s\n", name, version, form == nullptr ? "missing" : "is older");
  return good;
}

int compare_symbols(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const auto find =
      reinterpret_cast<Find>(library == nullptr ? nullptr : dlsym(library, "cuGetProcAddress_v2"));
  if (find == nullptr) {
    std::printf("%s has no cuGetProcAddress_v2\n", path);
    return 2;
  }
  int count = 0, wrong = 0;
#define HOTPACK_COMPARE(name, version, parameters) \
  ++count, wrong += has_form(find, "cu" #name, version) ? 0 : 1;
  HOTPACK_DRIVER_CALLS(HOTPACK_COMPARE)
#undef HOTPACK_COMPARE
  std::printf("%d functions, %d wrong\n", count, wrong);
  return wrong == 0 && !has_form(find, "cuHotpackHasNone", 12000) ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  const std::string mode = count > 1 ? words[1] : "";
  if (mode == "again") return probe() == 0 ? 2 : probe();
  if (mode == "relink" && count > 4) return probe_relinked(words[2], words[3], words[4]);
  if (mode == "symbols" && count > 2) return compare_symbols(words[2]);
  return mode == "fork" ? probe_in_child() : probe();
}
