#include "support/fake_cuda/fake_state.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace hotpack::test {
namespace {

namespace code = device::code;

constexpr std::chrono::seconds kLongestWait{20};
constexpr std::size_t kMostViolations = 1000;

constexpr std::array<const char*, kCalls> kCallNames{
#define HOTPACK_CALL_NAME(name, version, parameters) #name,
    HOTPACK_DRIVER_CALLS(HOTPACK_CALL_NAME)
#undef HOTPACK_CALL_NAME
};

std::atomic<FakeState*> living_state{nullptr};
std::mutex end_of_state;  // held while a state goes, and while a thread that ends looks for it
std::atomic<std::uint64_t> generations{0};
std::atomic<std::uint64_t> threads{0};

FakeOptions with_environment(FakeOptions options) {
  options.frees_wait = options.frees_wait || std::getenv("HOTPACK_FAKE_FREES_WAIT") != nullptr;
  return options;
}

std::string hex(std::uintptr_t value) {
  std::ostringstream text;
  text << "0x" << std::hex << value;
  return text.str();
}

}  // namespace

const char* call_name(CallId call) { return kCallNames[static_cast<std::size_t>(call)]; }

CallId call_named(const std::string& name) {
  const auto found = std::find(kCallNames.begin(), kCallNames.end(), name);
  if (found == kCallNames.end()) throw std::logic_error("FakeDriver: no call is named " + name);
  return static_cast<CallId>(found - kCallNames.begin());
}

FakeThread::~FakeThread() {
  const std::lock_guard<std::mutex> guard(end_of_state);
  FakeState* const state = living_state.load();
  if (state == nullptr || state->generation != generation || stack.empty()) return;
  if (::gettid() == ::getpid()) return;  // the whole process ends
  const std::lock_guard<std::recursive_mutex> lock(state->mutex);
  state->note("a thread ended with " + std::to_string(stack.size()) +
              " contexts pushed and not popped");
}

FakeState::FakeState(const FakeOptions& chosen)
    : options(with_environment(chosen)),
      generation(++generations),
      table(fake_table()),
      memory(chosen.fences),
      streams(chosen.schedule, chosen.seed) {
  for (int ordinal = 0; ordinal < options.devices; ++ordinal) {
    auto context = std::make_shared<FakeContext>();
    context->ordinal = ordinal;
    context->handle = reinterpret_cast<device::ContextHandle>(
        context_handles.add(HandleKind::context, generation, context));
    context->legacy = streams.add(*context, true);
    context->legacy->legacy = true;
    contexts.push_back(std::move(context));
  }
  FakeState* none = nullptr;
  if (!living_state.compare_exchange_strong(none, this))
    throw std::logic_error("FakeDriver: another one lives");
}

FakeState::~FakeState() {
  const std::lock_guard<std::mutex> guard(end_of_state);
  living_state.store(nullptr);
}

std::size_t FakeState::tear_down() {
  const std::lock_guard<std::mutex> guard(end_of_state);
  living_state.store(nullptr);
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  for (const auto& context : contexts) {
    context->broken = code::kDeinitialized;
    streams.abandon(*context);
  }
  changed.notify_all();
  return memory.take_away(MemoryKind::pinned);
}

FakeState* FakeState::living() { return living_state.load(std::memory_order_acquire); }

FakeThread& FakeState::thread() {
  // Objects of the main thread end before exit handlers, which may still call the driver: then
  // there is a new one.
  thread_local FakeThread* own = nullptr;
  struct End {
    ~End() { delete std::exchange(own, nullptr); }
  };
  thread_local const End end;
  static_cast<void>(&end);
  if (own == nullptr) own = new FakeThread;
  FakeThread& thread = *own;
  if (thread.number == 0) thread.number = ++threads;
  if (std::exchange(thread.generation, generation) != generation) thread.stack.clear();
  return thread;
}

void FakeState::note(std::string violation) {
  if (violations.size() < kMostViolations) violations.push_back(std::move(violation));
}

int FakeState::current(FakeContext*& context, const char* call) {
  const FakeThread& own = thread();
  if (own.stack.empty()) {
    note(std::string(call) + ": no context is current");
    return code::kInvalidContext;
  }
  context = own.stack.back();
  if (context->retained == 0 && !context->used_by_program) {
    note(std::string(call) + ": the current context was released");
    return kContextIsDestroyed;
  }
  return context->broken;
}

int FakeState::unknown(const char* call, const char* what, const void* handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  const bool former = (value >> 52) != 0 && (value >> 52) < 16 &&
                      ((value >> 32) & 0xFFFFF) != (generation & 0xFFFFF);
  if (former) return code::kDeinitialized;  // of a FakeDriver that is gone: not this one's business
  note(std::string(call) + ": " + hex(value) + " is no " + what + ", or no longer");
  return code::kInvalidHandle;
}

int FakeState::find_stream(device::StreamHandle handle, FakeContext& current, const char* call,
                           std::shared_ptr<FakeStream>& stream) {
  if (handle == nullptr || handle == device::kLegacyStream) {
    stream = current.legacy;
  } else if (handle == device::kPerThreadStream) {
    std::shared_ptr<FakeStream>& own = current.per_thread[thread().number];
    if (own == nullptr) own = streams.add(current, true);
    stream = own;
  } else {
    stream = stream_handles.find(handle);
    if (stream == nullptr) return unknown(call, "stream", handle);
  }
  return stream->context->broken;
}

int FakeState::find_event(device::EventHandle handle, const char* call,
                          std::shared_ptr<FakeEvent>& event) {
  event = event_handles.find(handle);
  return event == nullptr ? unknown(call, "event", handle) : event->context->broken;
}

int FakeState::capture_code(const FakeStream& stream) const {
  if (stream.capturing) return code::kStreamCaptureUnsupported;
  if (!stream.legacy) return code::kSuccess;
  const auto& all = stream_handles.values();
  const bool implicit = std::any_of(all.begin(), all.end(), [&](const auto& entry) {
    return entry.second->capturing && entry.second->blocking &&
           entry.second->context == stream.context;
  });
  return implicit ? code::kStreamCaptureImplicit : code::kSuccess;
}

int FakeState::find_open_stream(device::StreamHandle handle, FakeContext& current, const char* call,
                                std::shared_ptr<FakeStream>& stream) {
  if (const int found = find_stream(handle, current, call, stream); found != code::kSuccess)
    return found;
  const int capture = capture_code(*stream);
  if (capture == code::kSuccess || stream->capture) return code::kSuccess;
  note(std::string(call) +
       ": captured: the stream, or one that the legacy stream waits for, is being captured");
  return capture == code::kStreamCaptureImplicit ? capture : code::kSuccess;
}

std::shared_ptr<Block> FakeState::range(const char* call, const char* what, std::uintptr_t address,
                                        std::uint64_t bytes) {
  auto block = memory.find(address);
  if (block != nullptr && block->holds(address, bytes)) return block;
  std::string text = std::string(call) + ": " + what + ", " + std::to_string(bytes) + " bytes at " +
                     hex(address) + ", ";
  if (block != nullptr) {
    text += "runs past the end of a block of " + std::to_string(block->bytes) +
            " bytes, of which it begins at byte " + std::to_string(address - block->begin);
  } else {
    text += memory.was_freed(address) ? "is memory that was freed" : "is in no block of memory";
  }
  note(std::move(text));
  return nullptr;
}

std::shared_ptr<Block> FakeState::range(const char* call, const char* what, MemoryKind kind,
                                        std::uintptr_t address, std::uint64_t bytes) {
  auto block = range(call, what, address, bytes);
  if (block == nullptr || block->kind == kind) return block;
  note(std::string(call) + ": " + what + " at " + hex(address) + " is " +
       (kind == MemoryKind::device ? "pinned" : "device") + " memory");
  return nullptr;
}

void FakeState::free(const char* call, const std::shared_ptr<Block>& block, bool broken) {
  if (!memory.intact(*block)) {
    note(std::string(call) + ": something was written behind the end of a block of " +
         std::to_string(block->bytes) + " bytes");
  }
  if (block->kind == MemoryKind::device) {
    block->context->device_bytes -= block->bytes;
  } else {
    pinned_bytes -= block->bytes;
  }
  if (block->pending == 0) {
    memory.free(block);
    return;
  }
  if (!broken) {
    note(std::string(call) + ": " + std::to_string(block->pending) +
         " operations in flight use the block of " + std::to_string(block->bytes) + " bytes at " +
         hex(block->begin));
  }
  memory.free_in_use(block);
}

int FakeState::wait(std::unique_lock<std::recursive_mutex>& lock, const OperationPtr& operation,
                    const char* call) {
  if (operation == nullptr) return code::kSuccess;
  const auto deadline = std::chrono::steady_clock::now() + kLongestWait;
  while (!operation->done) {
    const Obstacle found = streams.obstacle(operation);
    if (found.broken != 0) return found.broken;
    if (!found.block) {
      streams.run(operation);
      break;
    }
    if (changed.wait_until(lock, deadline) == std::cv_status::timeout) {
      note(std::string(call) + ": waited for 20 s behind a block that nobody took away");
      return code::kUnknown;
    }
  }
  return code::kSuccess;
}

void FakeState::wait_before_free(std::unique_lock<std::recursive_mutex>& lock, FakeContext& context,
                                 const char* call) {
  if (!options.frees_wait) return;
  for (const OperationPtr& last : streams.last_of(context))
    static_cast<void>(wait(lock, last, call));
}

}  // namespace hotpack::test
