#include "support/fake_cuda/fake_state.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace hotpack::test {
namespace {

constexpr std::chrono::seconds kLongestWait{20};
constexpr std::size_t kMostViolations = 1000;
constexpr int kContextIsDestroyed = 709, kNotPermitted = 800;

std::atomic<FakeState*> living_state{nullptr};

// Makes the table's function of a body.
template <class Function, auto kBody>
struct Entry;
template <class... Parameters, auto kBody>
struct Entry<int (*)(Parameters...), kBody> {
  static inline const char* name = "";
  static int run(Parameters... parameters) {
    return enter(name, [&](Call& call) {
      call.begin();
      kBody(call, parameters...);
    });
  }
};

bool is_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string hex(std::uintptr_t value) {
  std::ostringstream text;
  text << "0x" << std::hex << value;
  return text.str();
}

// True, and noted for the captures, if one forbids unsafe calls to the calling thread: global mode
// forbids them to every thread, thread mode to the capturing thread, and neither to a thread with
// relaxed mode.
bool spoils_capture(FakeState& state) {
  const int thread_mode = state.thread().capture_mode;
  bool spoiled = false;
  for (const auto& [handle, stream] : state.program_streams.all) {
    if (!stream->capture || thread_mode == device::kCaptureModeRelaxed) continue;
    FakeCapture& capture = *stream->capture;
    const bool own = capture.thread == ::gettid();
    if (own ? capture.mode == device::kCaptureModeRelaxed : capture.mode + thread_mode != 0)
      continue;
    spoiled = capture.spoiled = true;
  }
  return spoiled;
}

}  // namespace

FakeState::FakeState(const FakeOptions& chosen)
    : options(chosen), memory(chosen.fences), streams(chosen.schedule, chosen.seed) {
#define HOTPACK_FAKE_ENTRY(call, version, parameters)           \
  {                                                             \
    using Function = Entry<decltype(table.call), &calls::call>; \
    Function::name = #call;                                     \
    table.call = Function::run;                                 \
    call_counts[#call] = 0;                                     \
  }
  HOTPACK_DRIVER_CALLS(HOTPACK_FAKE_ENTRY)
#undef HOTPACK_FAKE_ENTRY
  for (int ordinal = 0; ordinal < options.devices; ++ordinal) {
    auto context = std::make_shared<FakeContext>();
    context->ordinal = ordinal;
    contexts.add(&context->handle, context);
    context->legacy = streams.add(*context, true);
    context->legacy->legacy = true;
    devices.push_back(std::move(context));
  }
  FakeState* none = nullptr;
  if (!living_state.compare_exchange_strong(none, this))
    throw std::logic_error("FakeDriver: another one lives");
}

FakeState::~FakeState() { living_state.store(nullptr); }

FakeState* FakeState::living() { return living_state.load(); }

std::size_t FakeState::tear_down() {
  living_state.store(nullptr);
  const Lock lock(mutex);
  for (const auto& context : devices) {
    context->broken = code::kDeinitialized;
    streams.abandon(*context);
  }
  changed.notify_all();
  std::size_t pinned = 0;
  for (const auto& [begin, block] : memory.live) {
    if (block->kind != MemoryKind::pinned) continue;
    FakeMemory::wipe(*block, false);
    ++pinned;
  }
  return pinned;
}

FakeThread& FakeState::thread() {
  // Not touched again once the thread is known: exit handlers come here after its end.
  thread_local const auto life = std::make_shared<const int>(0);
  const auto [found, is_new] = threads.try_emplace(::gettid());
  if (is_new) found->second.life = life;
  return found->second;
}

void FakeState::note(const std::string& call, const std::string& violation) {
  if (violations.size() < kMostViolations) violations.push_back(call + ": " + violation);
}

// ---- Calls.

void Call::begin() {
  const auto failure = state.failures.find({name, state.call_counts[name]++});
  require(failure == state.failures.end(), failure == state.failures.end() ? 0 : failure->second);
  if (is_of(name, {"Init", "DriverGetVersion", "GetErrorName", "GetErrorString"})) return;
  require(state.initialized, code::kNotInitialized);
  if (state.streams.running()) refuse(kNotPermitted, "called by work of a stream");
  if (is_of(name, {"MemAlloc", "MemFree", "MemHostAlloc", "MemFreeHost", "EventQuery",
                   "EventSynchronize", "StreamSynchronize"}) &&
      spoils_capture(state))
    refuse(code::kStreamCaptureUnsupported, "spoils a capture");
  state.streams.run_some();
  const std::string_view call = name;
  if (call.starts_with("Device") || call.starts_with("Ctx") || call.starts_with("MemPool") ||
      is_of(call, {"ThreadExchangeStreamCaptureMode", "EventQuery"}))
    return;
  take_current_context();
  result = context->broken;
  require(result == 0 || is_of(call, {"MemFree", "MemFreeAsync", "MemFreeHost", "StreamDestroy",
                                      "EventDestroy", "ModuleUnload"}),
          result);
}

void Call::take_current_context() {
  const auto& stack = state.thread().stack;
  if (stack.empty()) refuse(code::kInvalidContext, "no context is current");
  context = stack.back();
  if (!context->usable()) refuse(kContextIsDestroyed, "the current context was released");
}

void Call::unknown(const char* what, const void* handle) const {
  refuse(code::kInvalidHandle, hex(address(handle)) + " is no " + what + ", or no longer");
}

StreamPtr Call::any_stream(device::StreamHandle handle) const {
  if (handle == nullptr || handle == device::kLegacyStream) return context->legacy;
  if (handle != device::kPerThreadStream) return object(state.program_streams, handle, "stream");
  StreamPtr& own = context->per_thread[::gettid()];
  if (own == nullptr) own = state.streams.add(*context, true);
  return own;
}

StreamPtr Call::stream(device::StreamHandle handle) const {
  StreamPtr found = any_stream(handle);
  require(found->context->broken == 0, found->context->broken);
  return found;
}

StreamPtr Call::open_stream(device::StreamHandle handle) const {
  StreamPtr found = stream(handle);
  require(!found->capture, code::kSuccess);  // recorded
  if (const int capture = capture_code(*found)) {
    note("captured: the stream, or one that the legacy stream waits for");
    require(capture != code::kStreamCaptureImplicit, capture);
  }
  return found;
}

std::shared_ptr<FakeEvent> Call::event(device::EventHandle handle) const {
  auto found = object(state.events, handle, "event");
  require(found->context->broken == 0, found->context->broken);
  return found;
}

int Call::capture_code(const FakeStream& stream) const {
  if (stream.capturing) return code::kStreamCaptureUnsupported;
  const auto& all = state.program_streams.all;
  const bool implicit =
      stream.legacy && std::any_of(all.begin(), all.end(), [&](const auto& entry) {
        return entry.second->capturing && entry.second->blocking &&
               entry.second->context == stream.context;
      });
  return implicit ? code::kStreamCaptureImplicit : code::kSuccess;
}

BlockPtr Call::range(const char* what, std::uintptr_t address, std::uint64_t bytes) const {
  auto block = state.memory.find(address);
  if (block != nullptr && block->holds(address, bytes)) return block;
  const std::string text =
      std::string(what) + ", " + std::to_string(bytes) + " bytes at " + hex(address) + ", ";
  if (block == nullptr) {
    refuse(code::kInvalidValue,
           text + (state.memory.was_freed(address) ? "is memory that was freed"
                                                   : "is in no block of memory"));
  }
  refuse(code::kInvalidValue,
         text + "runs past the end of a block of " + std::to_string(block->bytes) +
             " bytes, of which it begins at byte " + std::to_string(address - block->begin));
}

Use& Call::use(Operation& operation, const char* what, MemoryKind kind, std::uintptr_t begin,
               std::uint64_t bytes, bool writes) const {
  auto block = range(what, begin, bytes);
  if (block->kind != kind) {
    refuse(code::kInvalidValue, std::string(what) + " at " + hex(begin) + " is " +
                                    (kind == MemoryKind::device ? "pinned" : "device") + " memory");
  }
  return operation.uses.emplace_back(Use{std::move(block), begin, bytes, writes});
}

OperationPtr Call::give(FakeStream& stream, Operation operation) const {
  operation.name = name;
  if (const Operation* const rival = state.streams.rival(stream, operation)) {
    note(std::string("races with work in flight of ") + rival->name + ": nothing orders the two");
  }
  return state.streams.give(stream, std::move(operation));
}

void Call::wait(const OperationPtr& operation) const {
  const auto deadline = std::chrono::steady_clock::now() + kLongestWait;
  while (operation != nullptr && !operation->done) {
    const Obstacle found = state.streams.obstacle(*operation);
    require(found.broken == 0, found.broken);
    if (!found) {
      state.streams.run(operation);
    } else if (state.changed.wait_until(lock, deadline) == std::cv_status::timeout) {
      refuse(code::kUnknown, "waited for 20 s behind a block that nobody took away");
    }
  }
}

}  // namespace hotpack::test
