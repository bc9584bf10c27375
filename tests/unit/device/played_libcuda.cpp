// A libcuda.so.1 that imitates machines, which the environment describes.
//
//   PLAYED_INIT=100                        the code of cuInit
//   PLAYED_VERSION=11080                   of CUDA; 13000 by default
//   PLAYED_DEVICES=0                       how many; 1 by default
//   PLAYED_MISSING=cuStreamIsCapturing     a function that it does not have
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

int number(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoi(value);
}

int init(unsigned /*flags*/) { return number("PLAYED_INIT", 0); }

int version(int* result) {
  *result = number("PLAYED_VERSION", 13000);
  return 0;
}

int devices(int* result) {
  *result = number("PLAYED_DEVICES", 1);
  return 0;
}

int error_name(int /*code*/, const char** text) {
  *text = "PLAYED_ERROR";
  return 0;
}

int device(int* result, int ordinal) {
  *result = ordinal;
  return 0;
}

int device_name(char* result, int length, int /*device*/) {
  std::strncpy(result, "played device", static_cast<std::size_t>(length));
  return 0;
}

int attribute(int* result, int which, int /*device*/) {
  *result = which == 75 ? 9 : 0;
  return 0;
}

int total_memory(std::size_t* result, int /*device*/) {
  *result = 1000;
  return 0;
}

int fails() { return 999; }

struct Function {
  const char* name;
  void* address;
};

// Missing functions fail, so there is no context.
const Function kFunctions[] = {
    {"cuInit", reinterpret_cast<void*>(&init)},
    {"cuDriverGetVersion", reinterpret_cast<void*>(&version)},
    {"cuDeviceGetCount", reinterpret_cast<void*>(&devices)},
    {"cuGetErrorName", reinterpret_cast<void*>(&error_name)},
    {"cuGetErrorString", reinterpret_cast<void*>(&error_name)},
    {"cuDeviceGet", reinterpret_cast<void*>(&device)},
    {"cuDeviceGetName", reinterpret_cast<void*>(&device_name)},
    {"cuDeviceGetAttribute", reinterpret_cast<void*>(&attribute)},
    {"cuDeviceTotalMem", reinterpret_cast<void*>(&total_memory)},
};

}  // namespace

extern "C" __attribute__((visibility("default"))) int cuGetProcAddress_v2(const char* symbol,
                                                                          void** function,
                                                                          int /*version*/,
                                                                          std::uint64_t /*flags*/,
                                                                          int* /*status*/) {
  const char* missing = std::getenv("PLAYED_MISSING");
  if (missing != nullptr && std::strcmp(missing, symbol) == 0) return 500;
  *function = reinterpret_cast<void*>(&fails);
  for (const auto& known : kFunctions) {
    if (std::strcmp(known.name, symbol) == 0) *function = known.address;
  }
  return 0;
}
