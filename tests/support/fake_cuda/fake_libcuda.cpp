// libcuda.so.1 without a device: with its folder in LD_LIBRARY_PATH whole programs run where no GPU is.
//
// Work runs when it is given, in order. HOTPACK_FAKE_DEVICES: how many devices (default 1); HOTPACK_FAKE_DEVICE_BYTES: memory of each
// (default 4 GiB, taken as it is used). Its FakeDriver lives as long as the process.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <unordered_map>

#include "support/fake_cuda/fake_driver.hpp"

namespace {

using hotpack::test::FakeDriver;
using hotpack::test::FakeOptions;

std::uint64_t environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  char* end = nullptr;
  const std::uint64_t value = text == nullptr ? 0 : std::strtoull(text, &end, 10);
  return end == nullptr || end == text || *end != '\0' ? otherwise : value;
}

FakeOptions options() {
  FakeOptions chosen;
  chosen.devices = static_cast<int>(environment("HOTPACK_FAKE_DEVICES", 1));
  chosen.schedule = hotpack::test::Schedule::eager;
  chosen.device_bytes = environment("HOTPACK_FAKE_DEVICE_BYTES", std::uint64_t{4} << 30);
  chosen.pinned_bytes = UINT64_MAX;
  chosen.fences = false;
  return chosen;
}

struct Function {
  void* address = nullptr;
  int version = 0;  // of CUDA, that has had it in this form first
};

std::unordered_map<std::string, Function> functions_by_name() {
  static const FakeDriver& fake = *new FakeDriver(options());  // never destroyed: threads may call it until the very end
  std::unordered_map<std::string, Function> functions;
#define HOTPACK_FAKE_FUNCTION(name, version, parameters) functions["cu" #name] = {reinterpret_cast<void*>(fake.table().name), version};
  HOTPACK_DRIVER_CALLS(HOTPACK_FAKE_FUNCTION)
#undef HOTPACK_FAKE_FUNCTION
  return functions;
}

constexpr int kFound = 0, kNoSymbol = 1, kVersionTooLow = 2;  // CUdriverProcAddressQueryResult

int find(const char* symbol, void** function, int version) {
  static const auto& functions = *new std::unordered_map<std::string, Function>(functions_by_name());
  *function = nullptr;
  const auto found = functions.find(symbol);
  if (found == functions.end()) return kNoSymbol;
  if (version < found->second.version) return kVersionTooLow;  // there may be an older form, which this library has not
  *function = found->second.address;
  return kFound;
}

int code_of(int found) { return found == kFound ? hotpack::device::code::kSuccess : hotpack::device::code::kNotFound; }

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int cuGetProcAddress(const char* symbol, void** function, int version, std::uint64_t /*flags*/) {
  return code_of(find(symbol, function, version));
}

__attribute__((visibility("default"))) int cuGetProcAddress_v2(const char* symbol, void** function, int version, std::uint64_t /*flags*/,
                                                               int* status) {
  const int found = find(symbol, function, version);
  if (status != nullptr) *status = found;
  return code_of(found);
}

}  // extern "C"
