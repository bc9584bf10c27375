// The whole state of a FakeDriver, and what its calls share: handles, contexts of threads, checks
// of ranges, waiting.
//
// Every call of the table locks the state and runs what it runs under that lock. Ownership: of one
// FakeDriver; the living one is found through living(). Functions need the lock, but for living()
// and tear_down().
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "device/driver_api.hpp"
#include "support/fake_cuda/fake_driver.hpp"
#include "support/fake_cuda/fake_memory.hpp"
#include "support/fake_cuda/fake_streams.hpp"
#include "support/fake_cuda/host_kernels.hpp"

namespace hotpack::test {

enum class CallId : std::size_t {
#define HOTPACK_CALL_ID(name, version, parameters) name,
  HOTPACK_DRIVER_CALLS(HOTPACK_CALL_ID)
#undef HOTPACK_CALL_ID
      count
};
inline constexpr std::size_t kCalls = static_cast<std::size_t>(CallId::count);
[[nodiscard]] const char* call_name(CallId call);
[[nodiscard]] CallId call_named(
    const std::string& name);  // throws std::logic_error for one that is none

inline constexpr int kContextIsDestroyed = 709,
                     kNotPermitted = 800;  // codes that only the fake gives

struct FakeFunction {
  FakeContext* context = nullptr;
  std::shared_ptr<FakeModule> module;
  std::string name;
  HostKernel kernel = nullptr;
};

// The driver's knowledge of a thread.
struct FakeThread {
  FakeThread() = default;
  ~FakeThread();  // notes contexts that were pushed and never popped
  FakeThread(const FakeThread&) = delete;
  FakeThread& operator=(const FakeThread&) = delete;

  std::uint64_t generation = 0;  // of the FakeDriver that `stack` is of
  std::uint64_t number = 0;
  std::vector<FakeContext*> stack;  // of current contexts
  int capture_mode = 0;             // CUstreamCaptureMode: global, thread-local, relaxed
};

// Handles are numbers, never addresses: kind, generation of the FakeDriver, counter.
enum class HandleKind : std::uint64_t { context = 1, stream, event, module, function };

template <typename Value>
class Handles {
 public:
  std::uintptr_t add(HandleKind kind, std::uint64_t generation, std::shared_ptr<Value> value) {
    const std::uintptr_t handle = (static_cast<std::uint64_t>(kind) << 52) |
                                  ((generation & 0xFFFFF) << 32) | (++counter_ << 4);
    values_.emplace(handle, std::move(value));
    return handle;
  }
  [[nodiscard]] std::shared_ptr<Value> find(const void* handle) const {
    const auto found = values_.find(reinterpret_cast<std::uintptr_t>(handle));
    return found == values_.end() ? nullptr : found->second;
  }
  void erase(const void* handle) { values_.erase(reinterpret_cast<std::uintptr_t>(handle)); }
  [[nodiscard]] const std::unordered_map<std::uintptr_t, std::shared_ptr<Value>>& values() const {
    return values_;
  }

 private:
  std::uint64_t counter_ = 0;
  std::unordered_map<std::uintptr_t, std::shared_ptr<Value>> values_;
};

struct FakeState {
  explicit FakeState(const FakeOptions& chosen);
  ~FakeState();
  FakeState(const FakeState&) = delete;
  FakeState& operator=(const FakeState&) = delete;

  [[nodiscard]] static FakeState* living();  // null: there is none, or it was torn down
  std::size_t tear_down();                   // as FakeDriver's; needs no lock
  [[nodiscard]] FakeThread& thread();        // the calling one

  void note(std::string violation);

  // ---- Contexts and handles; each gives a code, and notes what is wrong.
  [[nodiscard]] int current(FakeContext*& context, const char* call);
  [[nodiscard]] int find_stream(device::StreamHandle handle, FakeContext& current, const char* call,
                                std::shared_ptr<FakeStream>& stream);
  [[nodiscard]] int find_event(device::EventHandle handle, const char* call,
                               std::shared_ptr<FakeEvent>& event);
  // The code for a handle that is none.
  [[nodiscard]] int unknown(const char* call, const char* what, const void* handle);
  // As find_stream, for work that is to be put on it.
  [[nodiscard]] int find_open_stream(device::StreamHandle handle, FakeContext& current,
                                     const char* call, std::shared_ptr<FakeStream>& stream);
  [[nodiscard]] int capture_code(const FakeStream& stream) const;

  // ---- Memory. The block that holds the whole range; else null, noted.
  [[nodiscard]] std::shared_ptr<Block> range(const char* call, const char* what,
                                             std::uintptr_t address, std::uint64_t bytes);
  [[nodiscard]] std::shared_ptr<Block> range(const char* call, const char* what, MemoryKind kind,
                                             std::uintptr_t address, std::uint64_t bytes);
  // Whether a block may go; notes why not. `broken`: nothing is in flight any more.
  void free(const char* call, const std::shared_ptr<Block>& block, bool broken);

  // ---- Waiting. Gives 0 or a code; lets go of the lock while a block() holds things up, 20
  // seconds at most.
  [[nodiscard]] int wait(std::unique_lock<std::recursive_mutex>& lock,
                         const OperationPtr& operation, const char* call);
  // Before something of this device is freed, where options.frees_wait says so: for all that is on
  // its streams now.
  void wait_before_free(std::unique_lock<std::recursive_mutex>& lock, FakeContext& context,
                        const char* call);

  FakeOptions options;
  std::uint64_t generation = 0;
  mutable std::recursive_mutex mutex;
  std::condition_variable_any changed;  // a block is gone, or a context broken
  device::DriverTable table;
  bool initialized = false;
  bool capturing_globally = false;
  std::array<std::uint64_t, kCalls> calls{};
  struct Failure {
    CallId call;
    std::uint64_t at;
    int code;
  };
  std::vector<Failure> failures;
  std::vector<std::string> violations;
  std::uint64_t pinned_bytes = 0;
  std::uint64_t pageable_copies = 0;
  std::uint64_t spinning_waits = 0;

  FakeMemory memory;
  FakeStreams streams;
  std::vector<std::shared_ptr<FakeContext>> contexts;  // one a device
  Handles<FakeContext> context_handles;
  Handles<FakeStream> stream_handles;
  Handles<FakeEvent> event_handles;
  Handles<FakeModule> module_handles;
  Handles<FakeFunction> function_handles;
};

// The table, all functions filled in.
[[nodiscard]] device::DriverTable fake_table();

}  // namespace hotpack::test
