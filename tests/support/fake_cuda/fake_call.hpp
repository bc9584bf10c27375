// The common beginning of all functions of the table.
//
// enter…() finds the living FakeDriver, locks it, counts the call and makes it fail on request;
// `body` runs under the lock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "support/fake_cuda/fake_state.hpp"

namespace hotpack::test {

using Lock = std::unique_lock<std::recursive_mutex>;

// Inside a call of the table.
struct Call {
  FakeState& state;
  Lock& lock;
  const char* name;
  FakeContext* context = nullptr;  // the current one, if the call needs one
};

enum class Needs { nothing, driver, context };

// The code that this call must fail with; 0: none. Counts the call.
[[nodiscard]] int injected(FakeState& state, CallId id);

// Refuses, and notes, a call that a capture forbids to the calling thread: global mode forbids it
// to every thread, thread mode to the capturing thread, and neither to a thread with relaxed
// mode.
[[nodiscard]] bool spoils_capture(FakeState& state, CallId id);

template <typename Body>
int enter(CallId id, Needs needs, const Body& body) {
  namespace code = device::code;
  FakeState* const state = FakeState::living();
  if (state == nullptr) return code::kDeinitialized;
  Lock lock(state->mutex);
  if (state != FakeState::living())
    return code::kDeinitialized;  // torn down while this waited for the lock
  Call call{*state, lock, call_name(id)};
  if (const int failure = injected(*state, id); failure != code::kSuccess) return failure;
  if (needs == Needs::nothing) return body(call);
  if (!state->initialized) return code::kNotInitialized;
  if (state->streams.running()) {
    state->note(std::string(call.name) + ": called by work of a stream");
    return kNotPermitted;
  }
  if (spoils_capture(*state, id)) return code::kStreamCaptureUnsupported;
  state->streams.run_some();
  if (needs == Needs::context) {
    if (const int found = state->current(call.context, call.name); found != code::kSuccess)
      return found;
  }
  return body(call);
}

// For calls that release something: also in a broken context, where they return its code
// nevertheless.
template <typename Body>
int enter_to_give_back(CallId id, const Body& body) {
  namespace code = device::code;
  return enter(id, Needs::driver, [&](Call& call) {
    const int found = call.state.current(call.context, call.name);
    if (found != code::kSuccess && (call.context == nullptr || call.context->broken == 0))
      return found;
    const int result = body(call);
    return found != code::kSuccess ? found : result;
  });
}

// For calls that queue work on a stream.
template <typename Body>
int enter_stream(CallId id, device::StreamHandle handle, const Body& body) {
  namespace code = device::code;
  return enter(id, Needs::context, [&](Call& call) {
    std::shared_ptr<FakeStream> stream;
    const int found = call.state.find_open_stream(handle, *call.context, call.name, stream);
    if (found != code::kSuccess) return found;
    return stream->capture ? code::kSuccess : body(call, *stream);
  });
}

inline std::uintptr_t address(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

inline std::uintptr_t address(device::Pointer pointer) {
  return static_cast<std::uintptr_t>(pointer);
}

inline void* host(device::Pointer pointer) { return reinterpret_cast<void*>(address(pointer)); }

// Notes that an operation uses `bytes` bytes of a block. False, and noted, if they are not all in
// one block of this kind.
[[nodiscard]] bool add_use(Call& call, Operation& operation, const char* what, MemoryKind kind,
                           std::uintptr_t begin, std::uint64_t bytes, bool writes);
// Queues work on a stream; notes work in flight that it races with.
OperationPtr give(Call& call, FakeStream& stream, Operation operation);

// The functions, file by file.
void fill_device_calls(device::DriverTable& table);
void fill_memory_calls(device::DriverTable& table);
void fill_stream_calls(device::DriverTable& table);
void fill_kernel_calls(device::DriverTable& table);

}  // namespace hotpack::test
