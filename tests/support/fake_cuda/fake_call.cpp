#include "support/fake_cuda/fake_call.hpp"

#include <utility>

namespace hotpack::test {

int injected(FakeState& state, CallId id) {
  const std::uint64_t number = state.calls[static_cast<std::size_t>(id)]++;
  const auto failure = std::find_if(
      state.failures.begin(), state.failures.end(),
      [&](const FakeState::Failure& each) { return each.call == id && each.at == number; });
  return failure == state.failures.end() ? device::code::kSuccess : failure->code;
}

bool add_use(Call& call, Operation& operation, const char* what, MemoryKind kind,
             std::uintptr_t begin, std::uint64_t bytes, bool writes) {
  auto block = call.state.range(call.name, what, kind, begin, bytes);
  if (block == nullptr) return false;
  operation.uses.push_back({std::move(block), begin, bytes, writes});
  return true;
}

OperationPtr give(Call& call, FakeStream& stream, Operation operation) {
  operation.name = call.name;
  if (const Operation* const rival = call.state.streams.rival(stream, operation);
      rival != nullptr) {
    call.state.note(std::string(call.name) + ": races with work in flight of " + rival->name +
                    ": nothing orders the two");
  }
  return call.state.streams.give(stream, std::move(operation));
}

device::DriverTable fake_table() {
  device::DriverTable table;
  fill_device_calls(table);
  fill_memory_calls(table);
  fill_stream_calls(table);
  fill_kernel_calls(table);
  return table;
}

namespace {

constexpr int kCaptureModeGlobal = 0;

bool forbids(const FakeCapture& capture, const FakeThread& thread) {
  if (capture.thread == thread.number) return capture.mode != device::kCaptureModeRelaxed;
  return capture.mode == kCaptureModeGlobal && thread.capture_mode == kCaptureModeGlobal;
}

// Spoils all captures that forbid an unsafe call to the calling thread. False: there is none.
bool spoil_captures(FakeState& state) {
  const FakeThread& thread = state.thread();
  if (thread.capture_mode == device::kCaptureModeRelaxed) return false;
  bool spoiled = state.capturing_globally;
  for (const auto& [handle, stream] : state.stream_handles.values()) {
    if (!stream->capture || !forbids(*stream->capture, thread)) continue;
    spoiled = stream->capture->spoiled = true;
  }
  return spoiled;
}

}  // namespace

bool spoils_capture(FakeState& state, CallId id) {
  constexpr CallId kUnsafe[] = {
      CallId::MemAlloc,   CallId::MemFree,          CallId::MemHostAlloc,     CallId::MemFreeHost,
      CallId::EventQuery, CallId::EventSynchronize, CallId::StreamSynchronize};
  if (std::find(std::begin(kUnsafe), std::end(kUnsafe), id) == std::end(kUnsafe) ||
      !spoil_captures(state))
    return false;
  state.note(std::string(call_name(id)) + ": spoils a capture");
  return true;
}

}  // namespace hotpack::test
