// The state of a FakeDriver, and what the functions of its table have in common.
//
// Ownership: of one FakeDriver; the living one is found through living(). Not thread-safe: every
// function of the table locks `mutex`, and runs what it runs under that lock. Failure: the helpers
// of a Call throw Refusal with the code that the function returns.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>

#include "support/fake_cuda/fake_streams.hpp"
#include "support/fake_cuda/host_kernels.hpp"

namespace hotpack::test {

namespace code = device::code;

struct FakeEvent {
  FakeContext* context = nullptr;
  bool sleeping = false;  // who waits for it sleeps
  OperationPtr record;    // the latest; null: never recorded
  StreamPtr stream;       // it was recorded on
};

struct FakeModule {
  FakeContext* context = nullptr;
  BlockPtr code = std::make_shared<Block>();  // that launches use
};

struct FakeFunction {
  std::shared_ptr<FakeModule> module;
  HostKernel kernel = nullptr;
};

// The driver's knowledge of a thread.
struct FakeThread {
  std::weak_ptr<const int> life;
  std::vector<FakeContext*> stack;  // of current contexts
  int capture_mode = 0;             // CUstreamCaptureMode
};

// Objects by handle. Handles are numbers that are never used twice, never addresses.
inline std::uintptr_t last_handle = 0x1000;
template <class Value>
struct Handles {
  template <class Handle>
  void add(Handle* handle, std::shared_ptr<Value> value) {
    *handle = reinterpret_cast<Handle>(last_handle += 16);
    all.emplace(last_handle, std::move(value));
  }
  [[nodiscard]] std::shared_ptr<Value> find(const void* handle) const {
    const auto found = all.find(address(handle));
    return found == all.end() ? nullptr : found->second;
  }
  std::map<std::uintptr_t, std::shared_ptr<Value>> all;
};

using Lock = std::unique_lock<std::recursive_mutex>;

struct FakeState {
  explicit FakeState(const FakeOptions& chosen);
  ~FakeState();
  FakeState(const FakeState&) = delete;
  FakeState& operator=(const FakeState&) = delete;

  [[nodiscard]] static FakeState* living();  // null: there is none, or it was torn down
  std::size_t tear_down();                   // as FakeDriver's
  [[nodiscard]] FakeThread& thread();        // the calling one
  void note(const std::string& call, const std::string& violation);

  FakeOptions options;
  mutable std::recursive_mutex mutex;
  std::condition_variable_any changed;  // a block is gone, or a context broken
  device::DriverTable table;
  bool initialized = false;
  std::map<std::string, std::uint64_t> call_counts;
  std::map<std::pair<std::string, std::uint64_t>, int> failures;  // codes by call and its number
  std::vector<std::string> violations;
  std::uint64_t pinned_bytes = 0, pageable_copies = 0, spinning_waits = 0;

  FakeMemory memory;
  FakeStreams streams;
  std::map<int, FakeThread> threads;
  std::vector<std::shared_ptr<FakeContext>> devices;
  Handles<FakeContext> contexts;
  Handles<FakeContext> pools;  // the devices that have their memory
  Handles<FakeStream> program_streams;
  Handles<FakeEvent> events;
  Handles<FakeModule> modules;
  Handles<FakeFunction> functions;
};

struct Refusal {
  int code;
};

// Inside a function of the table.
struct Call {
  FakeState& state;
  Lock& lock;
  const char* name;
  FakeContext* context = nullptr;  // the current one, if the function needs one
  int result = code::kSuccess;     // the code of a broken context, in which things are released

  void note(const std::string& violation) const { state.note(name, violation); }
  [[noreturn]] void refuse(int code, const std::string& violation) const {
    note(violation);
    throw Refusal{code};
  }
  static void require(bool good, int code) {
    if (!good) throw Refusal{code};
  }

  // Counts the call, and refuses it if it must fail, if a capture forbids it, or if it needs a
  // driver or a context and there is none.
  void begin();
  void take_current_context();

  template <class Value>
  std::shared_ptr<Value> object(const Handles<Value>& handles, const void* handle,
                                const char* what) const {
    auto found = handles.find(handle);
    if (found == nullptr) unknown(what, handle);
    return found;
  }
  [[noreturn]] void unknown(const char* what, const void* handle) const;
  [[nodiscard]] StreamPtr any_stream(device::StreamHandle handle) const;
  [[nodiscard]] StreamPtr stream(device::StreamHandle handle) const;  // not of a broken context
  [[nodiscard]] StreamPtr open_stream(device::StreamHandle handle) const;  // for work
  [[nodiscard]] std::shared_ptr<FakeEvent> event(device::EventHandle handle) const;
  [[nodiscard]] int capture_code(const FakeStream& stream) const;
  // The block that holds the whole range.
  [[nodiscard]] BlockPtr range(const char* what, std::uintptr_t address, std::uint64_t bytes) const;
  // Adds that an operation uses bytes of one block of this kind.
  Use& use(Operation& operation, const char* what, MemoryKind kind, std::uintptr_t begin,
           std::uint64_t bytes, bool writes = false) const;
  // Queues work on a stream; notes work in flight that it races with.
  OperationPtr give(FakeStream& stream, Operation operation) const;
  // Lets go of the lock while a block() holds things up, 20 seconds at most.
  void wait(const OperationPtr& operation) const;
};

// Runs what a function does: under the lock, and with its refusal as the result.
template <class Body>
int enter(const char* name, const Body& body) {
  FakeState* const state = FakeState::living();
  if (state == nullptr) return code::kDeinitialized;
  Lock lock(state->mutex);
  if (state != FakeState::living()) return code::kDeinitialized;  // while this waited for the lock
  Call call{*state, lock, name};
  try {
    body(call);
  } catch (const Refusal& refusal) {
    return refusal.code;
  }
  return call.result;
}

// The bodies of the table's functions, by their names.
namespace calls {
using namespace device;
#define HOTPACK_FAKE_LIST(...) __VA_ARGS__
#define HOTPACK_FAKE_CALL(name, version, parameters) \
  void name(Call& call, HOTPACK_FAKE_LIST parameters);
HOTPACK_DRIVER_CALLS(HOTPACK_FAKE_CALL)
#undef HOTPACK_FAKE_CALL
}  // namespace calls

}  // namespace hotpack::test
