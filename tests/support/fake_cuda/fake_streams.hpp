// Streams of a FakeDriver: operations, what each must wait for, and the order in which they run.
//
// An operation needs the one before it on its stream, what its events recorded, and what the legacy stream's rules add; all of that was
// given earlier, so there is no circle. It may run once all of it is done.
// Ownership: a stream keeps what is on it, an operation what it needs until that is done. Not thread-safe: FakeState locks.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "device/driver_api.hpp"
#include "support/fake_cuda/fake_driver.hpp"
#include "support/fake_cuda/fake_memory.hpp"

namespace hotpack::test {

struct FakeStream;
struct FakeModule;

struct Operation {
  std::function<void()> work;
  std::vector<std::shared_ptr<Operation>> needs;  // not done yet when this was given
  std::vector<std::shared_ptr<Block>> uses;
  std::shared_ptr<FakeModule> module;  // of a kernel
  FakeStream* stream = nullptr;        // alive until this is done
  bool closed = false;                 // a block()
  bool done = false;
  unsigned polls = 0;          // queries that found it not done
  std::uint64_t visit = 0;     // of the search that saw it last
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

struct FakeStream {
  FakeContext* context = nullptr;
  bool blocking = true;
  bool legacy = false;
  bool program = false;  // of FakeDriver::stream()
  bool capturing = false;
  std::deque<OperationPtr> pending;
  OperationPtr last;  // may be done
};

struct FakeEvent {
  FakeContext* context = nullptr;
  bool timing = true;
  OperationPtr record;                 // the latest; null: never recorded
  std::shared_ptr<FakeStream> stream;  // it was recorded on
};

struct FakeModule {
  FakeContext* context = nullptr;
  std::size_t pending = 0;  // launches in flight
};

// What keeps an operation from running, or what it needs.
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
  // Puts it at the end of the stream; schedule `eager` runs what can run.
  OperationPtr give(FakeStream& stream, Operation operation);
  [[nodiscard]] Obstacle obstacle(const OperationPtr& operation);
  // Runs it and what it needs. Precondition: no obstacle.
  void run(const OperationPtr& operation);
  // Schedule `random`: runs a few that may run.
  void run_some();
  void run_all();
  // Whether a query that finds it not done has been made often enough to let it run.
  [[nodiscard]] bool polled_enough(Operation& operation);
  [[nodiscard]] bool running() const { return running_; }

 private:
  [[nodiscard]] static bool due(const Operation& operation);
  [[nodiscard]] bool run_any();  // one that may run, drawn; false: there is none
  void run_needed(const OperationPtr& operation);
  void run_one(const OperationPtr& operation);
  void add_needs(FakeStream& stream, Operation& operation) const;
  [[nodiscard]] std::uint64_t draw(std::uint64_t below);

  Schedule schedule_;
  std::uint64_t random_;
  std::vector<std::shared_ptr<FakeStream>> streams_;  // destroyed ones too, while something is on them
  std::vector<FakeStream*> candidates_;
  std::uint64_t visits_ = 0;
  bool running_ = false;
};

}  // namespace hotpack::test
