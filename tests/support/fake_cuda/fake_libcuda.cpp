// libcuda.so.1 without a device: with its folder in LD_LIBRARY_PATH, whole programs run without a
// GPU.
//
// The environment chooses:
//   HOTPACK_FAKE_DEVICES        how many devices there are; default 1
//   HOTPACK_FAKE_DEVICE_BYTES   memory of each; default 4 GiB, taken as it is used
//   HOTPACK_FAKE_SCHEDULE       when work runs: eager (default: when it is given), random or late,
//   as in fake_driver.hpp HOTPACK_FAKE_SEED           of the random order; default 0
//   HOTPACK_FAKE_FENCES         1: pages around every block that nobody may touch, and poison in
//   it; default 0 HOTPACK_FAKE_FREES_WAIT     set: what frees waits for the streams of its device
// Its FakeDriver lives as long as the process. When that exits it is torn down: who uses pinned
// memory then faults. Violations are reported on stderr, and end the process with status 70 instead
// of its own.
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>

#include "support/fake_cuda/fake_driver.hpp"

namespace {

using hotpack::test::FakeDriver;
using hotpack::test::FakeOptions;
using hotpack::test::Schedule;

constexpr int kStatusOfViolations = 70;

std::uint64_t environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  char* end = nullptr;
  const std::uint64_t value = text == nullptr ? 0 : std::strtoull(text, &end, 10);
  return end == nullptr || end == text || *end != '\0' ? otherwise : value;
}

Schedule schedule() {
  const char* const text = std::getenv("HOTPACK_FAKE_SCHEDULE");
  const std::string chosen = text == nullptr ? "eager" : text;
  if (chosen == "eager") return Schedule::eager;
  if (chosen == "random") return Schedule::random;
  if (chosen == "late") return Schedule::late;
  throw std::invalid_argument("HOTPACK_FAKE_SCHEDULE is " + chosen +
                              "; it can be eager, random or late");
}

FakeOptions options() {
  FakeOptions chosen;
  chosen.devices = static_cast<int>(environment("HOTPACK_FAKE_DEVICES", 1));
  chosen.schedule = schedule();
  chosen.seed = environment("HOTPACK_FAKE_SEED", 0);
  chosen.device_bytes = environment("HOTPACK_FAKE_DEVICE_BYTES", std::uint64_t{4} << 30);
  chosen.pinned_bytes = UINT64_MAX;
  chosen.fences = environment("HOTPACK_FAKE_FENCES", 0) != 0;
  return chosen;
}

struct Function {
  void* address = nullptr;
  int version = 0;  // of CUDA, that has had it in this form first
};

FakeDriver& the_fake() {
  static FakeDriver& fake =
      *new FakeDriver(options());  // never destroyed: threads may call it until the very end
  return fake;
}

void end_with_process() {
  constexpr std::chrono::milliseconds kTimeToFault{50};  // for threads that still use pinned memory
  const auto violations = the_fake().violations();
  for (const std::string& violation : violations)
    std::fprintf(stderr, "fake libcuda: violation: %s\n", violation.c_str());
  if (!violations.empty()) std::_Exit(kStatusOfViolations);
  if (the_fake().tear_down() > 0) std::this_thread::sleep_for(kTimeToFault);
}

// Of this process only: a forked child has none of the threads, and locks may be held for ever.
void end_when_process_exits() {
  static const pid_t process = ::getpid();
  std::atexit([] {
    if (::getpid() == process) end_with_process();
  });
}

std::unordered_map<std::string, Function> functions_by_name() {
  const FakeDriver& fake = the_fake();
  end_when_process_exits();
  std::unordered_map<std::string, Function> functions;
#define HOTPACK_FAKE_FUNCTION(name, version, parameters) \
  functions["cu" #name] = {reinterpret_cast<void*>(fake.table().name), version};
  HOTPACK_DRIVER_CALLS(HOTPACK_FAKE_FUNCTION)
#undef HOTPACK_FAKE_FUNCTION
  return functions;
}

constexpr int kFound = 0, kNoSymbol = 1, kVersionTooLow = 2;  // CUdriverProcAddressQueryResult

int find(const char* symbol, void** function, int version) {
  static const auto& functions =
      *new std::unordered_map<std::string, Function>(functions_by_name());
  *function = nullptr;
  const auto found = functions.find(symbol);
  if (found == functions.end()) return kNoSymbol;
  if (version < found->second.version)
    return kVersionTooLow;  // there may be an older form, which this library has not
  *function = found->second.address;
  return kFound;
}

int code_of(int found) {
  return found == kFound ? hotpack::device::code::kSuccess : hotpack::device::code::kNotFound;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int cuGetProcAddress(const char* symbol, void** function,
                                                            int version, std::uint64_t /*flags*/) {
  return code_of(find(symbol, function, version));
}

__attribute__((visibility("default"))) int cuGetProcAddress_v2(const char* symbol, void** function,
                                                               int version, std::uint64_t /*flags*/,
                                                               int* status) {
  const int found = find(symbol, function, version);
  if (status != nullptr) *status = found;
  return code_of(found);
}

}  // extern "C"
