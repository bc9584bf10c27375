// libcuda.so.1 without a device: with its folder in LD_LIBRARY_PATH, whole programs run without a
// GPU.
//
// The environment chooses:
//   HOTPACK_FAKE_DEVICES        how many devices there are; default 1
//   HOTPACK_FAKE_DEVICE_BYTES   memory of each; default 4 GiB, taken as it is used
//   HOTPACK_FAKE_SCHEDULE       when work runs: eager (default: when it is given), random or late
//   HOTPACK_FAKE_SEED           of the random order; default 0
//   HOTPACK_FAKE_FENCES         1: protected pages around every block, and poison in it; default 0
//   HOTPACK_FAKE_POOLS          0: devices without memory pools; default 1
//   HOTPACK_FAKE_INIT           the code of the first cuInit; default 0
//   HOTPACK_FAKE_MISSING        a function that this library has not, as cuStreamIsCapturing
// Functions that only programs call, found by dlsym, follow below; they are neither counted nor
// made to fail. The FakeDriver lives as long as the process. When that exits it is torn down: who
// uses pinned memory then faults. Violations are reported on stderr, and end the process with
// status 70 instead of its own.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "support/fake_cuda/fake_state.hpp"

namespace {

using namespace hotpack::test;
using hotpack::device::StreamHandle;

constexpr int kStatusOfViolations = 70;
constexpr int kCodeInvalidated = 901;  // CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
constexpr int kCodeWrongThread = 908;  // CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD
constexpr int kFound = 0, kNoSymbol = 1, kVersionTooLow = 2;  // CUdriverProcAddressQueryResult

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
  throw std::invalid_argument("HOTPACK_FAKE_SCHEDULE is " + chosen);
}

FakeOptions options() {
  FakeOptions chosen;
  chosen.devices = static_cast<int>(environment("HOTPACK_FAKE_DEVICES", 1));
  chosen.schedule = schedule();
  chosen.seed = environment("HOTPACK_FAKE_SEED", 0);
  chosen.device_bytes = environment("HOTPACK_FAKE_DEVICE_BYTES", std::uint64_t{4} << 30);
  chosen.pinned_bytes = UINT64_MAX;
  chosen.fences = environment("HOTPACK_FAKE_FENCES", 0) != 0;
  chosen.pools = environment("HOTPACK_FAKE_POOLS", 1) != 0;
  return chosen;
}

// Never destroyed: threads may call it until the very end.
FakeDriver& the_fake() {
  static FakeDriver& fake = [&]() -> FakeDriver& {
    auto& made = *new FakeDriver(options());
    if (const auto init = environment("HOTPACK_FAKE_INIT", 0))
      made.fail("Init", 0, static_cast<int>(init));
    return made;
  }();
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

int find(const std::string& symbol, void** function, int version) {
  // A forked child has none of the threads, and locks may be held for ever: it ends by itself.
  static const pid_t process = ::getpid();
  static const bool at_exit = std::atexit([] {
                                if (::getpid() == process) end_with_process();
                              }) == 0;
  static_cast<void>(at_exit);
  static const char* const missing = std::getenv("HOTPACK_FAKE_MISSING");
  *function = nullptr;
  if (missing != nullptr && symbol == missing) return kNoSymbol;
#define HOTPACK_FAKE_FIND(name, since, parameters)                \
  if (symbol == "cu" #name) {                                     \
    if (version < since) return kVersionTooLow;                   \
    *function = reinterpret_cast<void*>(the_fake().table().name); \
  }
  HOTPACK_DRIVER_CALLS(HOTPACK_FAKE_FIND)
#undef HOTPACK_FAKE_FIND
  return *function == nullptr ? kNoSymbol : kFound;
}

// ---- Functions on the host, and the capture of streams.

struct Graph {};  // nobody launches it

// On a thread of its own. If the context breaks before it is called, it never is.
void run_on_host(FakeState& state, void (*function)(void*), void* data, const OperationPtr& own) {
  Lock lock(state.mutex);
  const Call call{state, lock, "LaunchHostFunc"};
  try {
    for (const OperationPtr& operation : std::vector(own->needs)) call.wait(operation);
  } catch (const Refusal&) {
    return;
  }
  lock.unlock();
  function(data);
  lock.lock();
  own->closed = false;
  state.streams.unblocked();
  state.changed.notify_all();
}

template <class Body>
int with_stream(const char* name, StreamHandle handle, const Body& body) {
  return enter(name, [&](Call& call) {
    call.take_current_context();
    body(call, *call.stream(handle));
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int cuGetProcAddress(const char* symbol, void** function, int version, std::uint64_t /*flags*/) {
  return find(symbol, function, version) == kFound ? code::kSuccess : code::kNotFound;
}

// Succeeds even without a function, as NVIDIA's library.
int cuGetProcAddress_v2(const char* symbol, void** function, int version, std::uint64_t /*flags*/,
                        int* status) {
  const int found = find(symbol, function, version);
  if (status != nullptr) *status = found;
  return code::kSuccess;
}

int cuLaunchHostFunc(StreamHandle handle, void (*function)(void*), void* data) {
  return with_stream("LaunchHostFunc", handle, [&](Call& call, FakeStream& stream) {
    if (stream.capture) return;
    Operation operation;
    operation.closed = true;
    const OperationPtr own = call.give(stream, std::move(operation));
    std::thread([&state = call.state, function, data, own] {
      run_on_host(state, function, data, own);
    }).detach();
  });
}

int cuStreamBeginCapture_v2(StreamHandle handle, int mode) {
  return with_stream("StreamBeginCapture", handle, [&](Call& call, FakeStream& stream) {
    call.require(!stream.legacy, code::kStreamCaptureUnsupported);
    call.require(!stream.capturing && mode >= 0 && mode <= hotpack::device::kCaptureModeRelaxed,
                 code::kInvalidValue);
    stream.capturing = true;
    stream.capture = FakeCapture{mode, ::gettid()};
  });
}

int cuStreamEndCapture(StreamHandle handle, void** graph) {
  *graph = nullptr;
  return with_stream("StreamEndCapture", handle, [&](Call& call, FakeStream& stream) {
    call.require(stream.capture.has_value(), code::kInvalidValue);
    call.require(stream.capture->mode == hotpack::device::kCaptureModeRelaxed ||
                     stream.capture->thread == ::gettid(),
                 kCodeWrongThread);
    const bool spoiled = stream.capture->spoiled;
    stream.capturing = false;
    stream.capture.reset();
    call.require(!spoiled, kCodeInvalidated);
    *graph = new Graph;
  });
}

int cuGraphDestroy(void* graph) {
  delete static_cast<Graph*>(graph);
  return code::kSuccess;
}

}  // extern "C"
#pragma GCC visibility pop
