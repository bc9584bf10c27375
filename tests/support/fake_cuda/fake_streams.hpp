// Streams of a FakeDriver: operations, their dependencies, and the order in which they run.
//
// An operation needs the one before it on its stream, what its events recorded, and what the legacy
// stream's rules add; all of that was given earlier, so there is no circle. It may run once all of
// it is done. Ownership: a stream keeps what is on it, an operation what it needs until that is
// done. Not thread-safe: FakeState locks.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "device/driver_api.hpp"
#include "support/fake_cuda/fake_driver.hpp"
#include "support/fake_cuda/fake_memory.hpp"

namespace hotpack::test {

struct FakeStream;

struct FakeContext {
  int ordinal = 0;
  device::ContextHandle handle = nullptr;
  int retained = 0;
  bool used_by_program = false;  // by FakeDriver::stream()
  int broken = 0;                // the code of break_context()
  std::uint64_t device_bytes = 0;
  std::shared_ptr<FakeStream> legacy;
  std::map<int, std::shared_ptr<FakeStream>> per_thread;
  [[nodiscard]] bool usable() const { return retained > 0 || used_by_program; }
};

struct Use {
  BlockPtr block;
  std::uintptr_t begin = 0;
  std::uint64_t bytes = 0;  // 0: the block must only stay
  bool writes = false;
};

struct Operation {
  const char* name = "";
  std::function<void()> work;
  std::vector<std::shared_ptr<Operation>> needs;  // not done yet when this was given
  std::vector<Use> uses;
  FakeStream* stream = nullptr;  // alive until this is done
  bool closed = false;           // a block()
  bool done = false;
  std::uint64_t visit = 0;  // of the latest search that saw it

  void end_uses() {
    for (const Use& use : uses) --use.block->pending;
    uses.clear();
  }
};
using OperationPtr = std::shared_ptr<Operation>;

struct FakeCapture {
  int mode = 0;    // CUstreamCaptureMode
  int thread = 0;  // that began it
  bool spoiled = false;
};

struct FakeStream {
  FakeContext* context = nullptr;
  bool blocking = true;
  bool legacy = false;
  bool program = false;  // of FakeDriver::stream()
  bool capturing = false;
  std::optional<FakeCapture> capture;  // begun by the program: work is recorded and does not run
  std::deque<OperationPtr> pending;
  OperationPtr last;  // may be done
};
using StreamPtr = std::shared_ptr<FakeStream>;

// The reason why an operation cannot run, or its dependencies.
struct Obstacle {
  bool block = false;
  int broken = 0;  // the code of a context
  explicit operator bool() const { return block || broken != 0; }
};

class FakeStreams {
 public:
  FakeStreams(Schedule schedule, std::uint64_t seed) : schedule_(schedule), random_(seed) {}
  ~FakeStreams() {  // one by one: otherwise destructors would call each other for a whole stream
    for (const StreamPtr& stream : streams_) {
      for (const OperationPtr& operation : stream->pending) operation->needs.clear();
    }
  }
  FakeStreams(const FakeStreams&) = delete;
  FakeStreams& operator=(const FakeStreams&) = delete;
  [[nodiscard]] bool running() const { return running_; }

  StreamPtr add(FakeContext& context, bool blocking) {
    std::erase_if(streams_, [](const StreamPtr& stream) {
      return stream.use_count() == 1 && stream->pending.empty();
    });
    streams_.push_back(std::make_shared<FakeStream>());
    streams_.back()->context = &context;
    streams_.back()->blocking = blocking;
    return streams_.back();
  }

  // The work in flight that makes it wrong to give this to the stream: nothing orders it before
  // this, and it writes what this reads or writes, or reads what this writes. Null: none.
  const Operation* rival(FakeStream& stream, const Operation& operation) {
    Operation given;  // as it would be
    add_needs(stream, given);
    visit(given, [](const Operation&) {});
    for (const StreamPtr& other : streams_) {
      if (other->context->broken != 0) continue;
      for (const OperationPtr& pending : other->pending) {
        if (pending->visit != visits_ && clash(operation, *pending)) return pending.get();
      }
    }
    return nullptr;
  }

  // Appends it to the stream; schedule `eager` runs everything that can run.
  OperationPtr give(FakeStream& stream, Operation operation) {
    auto given = std::make_shared<Operation>(std::move(operation));
    given->stream = &stream;
    add_needs(stream, *given);
    for (const Use& use : given->uses) ++use.block->pending;
    stream.pending.push_back(given);
    stream.last = given;
    if (schedule_ == Schedule::eager && !running_ && !obstacle(*given)) run(given);
    return given;
  }

  Obstacle obstacle(Operation& operation) {
    Obstacle found;
    visit(operation, [&](const Operation& next) {
      found.block |= next.closed;
      if (next.stream->context->broken != 0) found.broken = next.stream->context->broken;
    });
    return found;
  }

  // Runs it and its dependencies; schedule `random`: now and then others. Precondition: no
  // obstacle.
  void run(const OperationPtr& operation) {
    while (schedule_ == Schedule::random && !operation->done && draw(2) == 0 && run_any(favored_)) {
    }
    std::vector<OperationPtr> open{operation};
    while (!open.empty()) {
      const OperationPtr next = open.back();
      const auto missing = std::find_if(next->needs.begin(), next->needs.end(),
                                        [](const OperationPtr& needed) { return !needed->done; });
      if (!next->done && missing != next->needs.end()) {
        open.push_back(*missing);
        continue;
      }
      if (!next->done) run_one(next);
      open.pop_back();
    }
  }

  // Schedule `random`: a few operations that may run. The amount of work, and its streams, stay
  // similar for some calls, so that streams fall behind each other.
  void run_some() {
    if (schedule_ != Schedule::random || running_) return;
    if (calls_left_ == 0) {
      constexpr std::uint64_t kMost[] = {0, 0, 1, 3};
      calls_left_ = 1 + draw(24);
      most_ = kMost[draw(4)];
      favored_ = draw(kAll);
    }
    --calls_left_;
    for (std::uint64_t left = draw(most_ + 1); left > 0 && run_any(favored_); --left) {
    }
  }

  void run_all() {
    while (run_any(kAll)) {
    }
  }

  void unblocked() {  // schedule `eager`: runs what a block held up
    if (schedule_ == Schedule::eager && !running_) run_all();
  }

  // Drops the work on the streams of this context: it never runs, and uses nothing any more.
  void abandon(const FakeContext& context) {
    for (const StreamPtr& stream : streams_) {
      if (stream->context != &context) continue;
      for (const OperationPtr& operation : stream->pending) operation->end_uses();
    }
  }

 private:
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};

  static bool clash(const Operation& one, const Operation& other) {
    for (const Use& use : one.uses) {
      for (const Use& second : other.uses) {
        if (use.block == second.block && (use.writes || second.writes) &&
            use.begin < second.begin + second.bytes && second.begin < use.begin + use.bytes)
          return true;
      }
    }
    return false;
  }

  static void need(Operation& operation, const OperationPtr& other) {
    if (other != nullptr && !other->done) operation.needs.push_back(other);
  }

  void add_needs(FakeStream& stream, Operation& operation) const {
    need(operation, stream.last);
    if (!stream.blocking) return;
    for (const StreamPtr& other : streams_) {
      if (other.get() != &stream && other->blocking && other->context == stream.context &&
          (stream.legacy || other->legacy))
        need(operation, other->last);
    }
  }

  template <class See>
  void visit(Operation& first, const See& see) {  // what is not done of it and its dependencies
    ++visits_;
    std::vector<Operation*> open{&first};
    while (!open.empty()) {
      Operation& next = *open.back();
      open.pop_back();
      if (next.done || std::exchange(next.visit, visits_) == visits_) continue;
      see(next);
      for (const OperationPtr& needed : next.needs) open.push_back(needed.get());
    }
  }

  // Runs one that may run, drawn, of streams by their places modulo 64. False: there is none.
  bool run_any(std::uint64_t places) {
    std::vector<OperationPtr> candidates;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (streams_[i]->pending.empty() || (places >> i % 64 & 1) == 0) continue;
      const OperationPtr& next = streams_[i]->pending.front();
      if (!next->closed && next->stream->context->broken == 0 &&
          std::all_of(next->needs.begin(), next->needs.end(),
                      [](const OperationPtr& needed) { return needed->done; }))
        candidates.push_back(next);
    }
    if (candidates.empty()) return false;
    run_one(candidates[draw(candidates.size())]);
    return true;
  }

  void run_one(const OperationPtr& operation) {
    running_ = true;
    if (operation->work) operation->work();
    running_ = false;
    operation->done = true;
    operation->needs.clear();
    operation->work = nullptr;
    operation->end_uses();
    operation->stream->pending.pop_front();
  }

  std::uint64_t draw(std::uint64_t below) {
    random_ += 0x9E3779B97F4A7C15u;  // splitmix64
    std::uint64_t word = random_;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    return (word ^ (word >> 31)) % below;
  }

  Schedule schedule_;
  std::uint64_t random_;
  std::vector<StreamPtr> streams_;  // destroyed ones too, while they have work
  std::uint64_t visits_ = 0;
  bool running_ = false;
  std::uint64_t calls_left_ = 0, most_ = 0, favored_ = 0;  // of run_some()
};

}  // namespace hotpack::test
