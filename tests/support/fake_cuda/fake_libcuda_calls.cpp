// Functions of the fake libcuda.so.1 that only programs call, found by dlsym: functions on the
// host, and the capture of streams.
//
// They are neither counted nor made to fail, unlike those of the table that hotpack calls.
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "support/fake_cuda/fake_call.hpp"

namespace {

using hotpack::device::StreamHandle;
using namespace hotpack::test;
namespace code = hotpack::device::code;

constexpr int kCodeInvalidated = 901;  // CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
constexpr int kCodeWrongThread = 908;  // CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD

struct Graph {};  // nobody launches it

template <typename Body>
int with_stream(const char* call, StreamHandle handle, const Body& body) {
  FakeState* const state = FakeState::living();
  if (state == nullptr) return code::kDeinitialized;
  const Lock lock(state->mutex);
  FakeContext* context = nullptr;
  if (const int found = state->current(context, call); found != code::kSuccess) return found;
  std::shared_ptr<FakeStream> stream;
  const int found = state->find_stream(handle, *context, call, stream);
  return found != code::kSuccess ? found : body(*state, *stream);
}

struct HostFunction {
  void (*function)(void*) = nullptr;
  void* data = nullptr;
  std::vector<OperationPtr> before;
  OperationPtr own;  // closed until it is over
};

// On a thread of its own. Where the context is broken, it is never called.
void run(FakeState& state, const HostFunction& host) {
  Lock lock(state.mutex);
  for (const OperationPtr& operation : host.before) {
    if (state.wait(lock, operation, "LaunchHostFunc") != code::kSuccess) return;
  }
  lock.unlock();
  host.function(host.data);
  lock.lock();
  host.own->closed = false;
  state.streams.unblocked();
  state.changed.notify_all();
}

int launch_host_function(StreamHandle handle, void (*function)(void*), void* data) {
  return with_stream("LaunchHostFunc", handle, [&](FakeState& state, FakeStream& stream) {
    if (stream.capture) return code::kSuccess;
    Operation operation;
    operation.name = "LaunchHostFunc";
    operation.closed = true;
    const OperationPtr own = state.streams.give(stream, std::move(operation));
    std::thread([&state, host = HostFunction{function, data, own->needs, own}] {
      run(state, host);
    }).detach();
    return code::kSuccess;
  });
}

int begin_capture(StreamHandle handle, int mode) {
  return with_stream("StreamBeginCapture", handle, [&](FakeState& state, FakeStream& stream) {
    if (stream.legacy) return code::kStreamCaptureUnsupported;
    if (stream.capturing || mode < 0 || mode > hotpack::device::kCaptureModeRelaxed)
      return code::kInvalidValue;
    stream.capturing = true;
    stream.capture = FakeCapture{mode, state.thread().number};
    return code::kSuccess;
  });
}

int end_capture(StreamHandle handle, void** graph) {
  *graph = nullptr;
  return with_stream("StreamEndCapture", handle, [&](FakeState& state, FakeStream& stream) {
    if (!stream.capture) return code::kInvalidValue;
    const FakeCapture capture = *stream.capture;
    if (capture.mode != hotpack::device::kCaptureModeRelaxed &&
        capture.thread != state.thread().number)
      return kCodeWrongThread;
    stream.capturing = false;
    stream.capture.reset();
    if (capture.spoiled) return kCodeInvalidated;
    *graph = new Graph;
    return code::kSuccess;
  });
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int cuLaunchHostFunc(StreamHandle stream,
                                                            void (*function)(void*), void* data) {
  return launch_host_function(stream, function, data);
}

__attribute__((visibility("default"))) int cuStreamBeginCapture_v2(StreamHandle stream, int mode) {
  return begin_capture(stream, mode);
}

__attribute__((visibility("default"))) int cuStreamEndCapture(StreamHandle stream, void** graph) {
  return end_capture(stream, graph);
}

__attribute__((visibility("default"))) int cuGraphDestroy(void* graph) {
  delete static_cast<Graph*>(graph);
  return code::kSuccess;
}

}  // extern "C"
