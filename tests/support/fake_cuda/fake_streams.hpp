// Streams of a FakeDriver: operations, their dependencies, and the order in which they run.
//
// An operation needs the one before it on its stream, what its events recorded, and what the legacy
// stream's rules add; all of that was given earlier, so there is no circle. It may run once all of
// it is done. Ownership: a stream keeps what is on it, an operation what it needs until that is
// done. Not thread-safe: FakeState locks.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/driver_api.hpp"
#include "support/fake_cuda/fake_driver.hpp"
#include "support/fake_cuda/fake_memory.hpp"

namespace hotpack::test {

struct FakeStream;
struct FakeModule;

// An operation's use of a block.
struct Use {
  std::shared_ptr<Block> block;
  std::uintptr_t begin = 0;  // of the bytes that are known; none: the block must only stay
  std::uint64_t bytes = 0;
  bool writes = false;
};

struct Operation {
  const char* name = "";
  std::function<void()> work;
  std::vector<std::shared_ptr<Operation>> needs;  // not done yet when this was given
  std::vector<Use> uses;
  std::shared_ptr<FakeModule> module;  // of a kernel
  FakeStream* stream = nullptr;        // alive until this is done
  bool closed = false;                 // a block()
  bool done = false;
  unsigned polls = 0;       // queries left until it may run; 0: not counted yet
  std::uint64_t visit = 0;  // of the latest search that saw it
  std::chrono::steady_clock::time_point finished;
};
using OperationPtr = std::shared_ptr<Operation>;

struct FakeContext {
  int ordinal = 0;
  device::ContextHandle handle = nullptr;
  int retained = 0;
  bool used_by_program = false;  // by FakeDriver::stream()
  int broken = 0;                // the code of break_context()
  std::uint64_t device_bytes = 0;
  std::shared_ptr<FakeStream> legacy;
  std::map<std::uint64_t, std::shared_ptr<FakeStream>> per_thread;  // by number of the thread
};

// Begun by the program: work on the stream is recorded and does not run.
struct FakeCapture {
  int mode = 0;              // CUstreamCaptureMode
  std::uint64_t thread = 0;  // that began it
  bool spoiled = false;
};

struct FakeStream {
  FakeContext* context = nullptr;
  bool blocking = true;
  bool legacy = false;
  bool program = false;  // of FakeDriver::stream()
  bool capturing = false;
  std::optional<FakeCapture> capture;  // none where set_capturing() has said that it is captured
  std::uint64_t number = 0;
  std::deque<OperationPtr> pending;
  OperationPtr last;  // may be done
};

struct FakeEvent {
  FakeContext* context = nullptr;
  bool timing = true;
  bool blocking = false;               // who waits for it sleeps
  OperationPtr record;                 // the latest; null: never recorded
  std::shared_ptr<FakeStream> stream;  // it was recorded on
};

struct FakeModule {
  FakeContext* context = nullptr;
  std::string prefix;       // of the names of its kernels
  std::size_t pending = 0;  // launches in flight
};

// The reason why an operation cannot run, or its dependencies.
struct Obstacle {
  bool block = false;
  int broken = 0;  // the code of a context
};

class FakeStreams {
 public:
  FakeStreams(Schedule schedule, std::uint64_t seed) : schedule_(schedule), random_(seed) {}
  ~FakeStreams();
  FakeStreams(const FakeStreams&) = delete;
  FakeStreams& operator=(const FakeStreams&) = delete;

  [[nodiscard]] std::shared_ptr<FakeStream> add(FakeContext& context, bool blocking);
  // Why it would be wrong to give this to the stream: work in flight, which nothing orders before
  // it, writes what it reads or writes, or reads what it writes. Null: nothing.
  [[nodiscard]] const Operation* rival(FakeStream& stream, Operation& operation);
  // Appends it to the stream; schedule `eager` runs everything that can run.
  OperationPtr give(FakeStream& stream, Operation operation);
  [[nodiscard]] Obstacle obstacle(const OperationPtr& operation);
  // Runs it and its dependencies. Precondition: no obstacle.
  void run(const OperationPtr& operation);
  // Schedule `random`: runs a few operations that may run.
  void run_some();
  void run_all();
  void unblocked();  // schedule `eager`: runs what a block held up
  [[nodiscard]] std::vector<OperationPtr> last_of(
      const FakeContext& context) const;  // that is not done, of each of its streams
  void abandon(
      const FakeContext& context);  // what is on its streams never runs, and uses nothing any more
  // True if queries have found it unfinished often enough to let it run.
  [[nodiscard]] bool polled_enough(Operation& operation);
  [[nodiscard]] bool running() const { return running_; }

 private:
  [[nodiscard]] static bool due(const Operation& operation);
  enum class From { all, favored };
  [[nodiscard]] bool run_any(From from);  // one that may run, drawn; false: there is none
  void change_mood();
  void run_needed(const OperationPtr& operation);
  void run_one(const OperationPtr& operation);
  void add_needs(FakeStream& stream, Operation& operation) const;
  void visit_all_before(const Operation& operation);
  [[nodiscard]] std::uint64_t draw(std::uint64_t below);

  Schedule schedule_;
  std::uint64_t random_;
  std::vector<std::shared_ptr<FakeStream>>
      streams_;                // destroyed ones too, while something is on them
  std::uint64_t numbers_ = 0;  // of streams
  std::vector<FakeStream*> candidates_;
  std::uint64_t visits_ = 0;
  bool running_ = false;
  // Schedule `random`: the amount of work, and its streams, stay similar for some calls, so that
  // streams fall behind each other.
  struct Mood {
    std::uint64_t calls_left = 0;
    std::uint64_t most = 0;     // operations a call
    std::uint64_t favored = 0;  // a bit for each stream, by its number modulo 64
  };
  Mood mood_;
};

}  // namespace hotpack::test
