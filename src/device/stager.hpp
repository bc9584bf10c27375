// Brings packed batches to the devices before the consumer asks for them. It takes the batches from
// a ring of pinned slots (loader/ring.hpp), and like that ring it reuses a fixed number of
// memories, each for one batch, in turn.
//
// One thread, the feeder, takes filled slots in order, copies each part to its device on a copy
// stream, and queries events. A slot returns to its ring when its copy is done; staged memory is
// reused when the consumer's kernels have read it. The feeder polls, because the driver makes no
// callbacks after an error of the context. No lock is held during a call of the driver.
// Ownership: the loader and the feeder share the Stager. It owns ring, slots, staged memory and
// copy streams. The code that starts it must close it. Thread-safety: several threads may call all
// members at once. In a forked child only refused(), seek(), begin_epoch(), position(), cancel()
// and forked() may be called; the first three return an error. Failure: as Ring::next. The first
// call of the driver that fails, on any thread, is also the error of every later call.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "device/cargo.hpp"
#include "device/handles.hpp"
#include "hotpack/device_loader.hpp"
#include "hotpack/result.hpp"
#include "loader/ring.hpp"

namespace hotpack::device {

// A packed batch in staged memory, with a part on each device.
struct Staged {
  struct Part {
    DeviceMemory memory;
    Event copied;         // recorded by the feeder
    Event read;           // recorded on the consumer's stream, after the kernels
    PixelSize output;     // size of each row
    Pointer records = 0;  // the base address for the offsets in the rows' entries
  };
  std::vector<Part> parts;
  loader::Cursor cursor;
  std::size_t valid = 0;
  std::vector<std::int64_t> samples;  // one per row
  std::vector<std::string> keys;
  std::vector<SampleCrop> crops;
  loader::Slot* slot = nullptr;  // used by the feeder only; set while the slot is being copied
};

struct StagerParts {
  std::shared_ptr<loader::Ring> ring;
  std::shared_ptr<const Cargo> cargo;
  std::vector<std::shared_ptr<const Context>> contexts;  // one per part
  std::vector<Stream> copy_streams;                      // one per part
  std::vector<std::unique_ptr<Staged>> staged;
  // the kernels and tables that queued work may use; kept until this work is over
  std::vector<std::shared_ptr<const void>> launches;
  std::size_t slots = 3;  // number of slots of the ring
  loader::Cursor start;
};

class Stager : public std::enable_shared_from_this<Stager> {
 public:
  explicit Stager(StagerParts parts);
  Stager(const Stager&) = delete;
  Stager& operator=(const Stager&) = delete;
  ~Stager();

  // Starts the ring and the feeder. Call it once, after a shared_ptr holds the Stager.
  [[nodiscard]] Status start();

  // Examines the next batch before next() returns it. If the function returns an error, next()
  // fails with it, and the batch stays in the queue. Called under the lock.
  using Accept = std::function<Status(const Staged& staged)>;
  // Returns the next batch, which belongs to the caller until give_back(), or null at the end of an
  // epoch. `timeout` as in Ring::next.
  [[nodiscard]] Result<Staged*> next(std::chrono::milliseconds timeout, const Accept& accept);
  // Returns a batch. Its memory may be reused after the `read` events that are recorded by now.
  void give_back(Staged* staged) noexcept;

  // Call this if a batch could not be delivered after all: states that are taken from now on do not
  // count the batch of this step.
  void take_back(loader::Cursor step) noexcept;

  [[nodiscard]] Status seek(loader::Cursor cursor);
  // As Ring::begin_epoch; an epoch has `steps` steps.
  [[nodiscard]] Status begin_epoch(std::uint64_t epoch, std::uint64_t steps);
  [[nodiscard]] loader::Cursor position() const;
  void cancel() noexcept;
  // Stops the threads. Memory that is still in use is freed later, with free_late(). May be called
  // again. At exit, threads that still run are stopped before the driver shuts down, which takes
  // about a second at most; memory is left to the driver.
  void close() noexcept;

  // Makes every later call fail with this error. Only the first call has an effect.
  void fail(const Error& error) noexcept;
  [[nodiscard]] std::optional<Error> failure() const;
  [[nodiscard]] bool forked() const;  // as Ring::forked()
  // Returns the reason why there is no batch any more, or for now; empty if there may be one.
  [[nodiscard]] std::optional<Error> refused() const;

  [[nodiscard]] bool is_closed() const;
  // Returns how many seconds consumers have waited for the loader. Times in which kernels of
  // consumers were reading all staged memory do not count.
  [[nodiscard]] double wait_seconds() const;
  [[nodiscard]] std::uint64_t copied_bytes() const { return copied_bytes_.load(); }

 private:
  using Lock = std::unique_lock<std::mutex>;
  // What a consumer gets next: a batch, an error of its step, or the end of an epoch.
  struct Arrival {
    Staged* staged = nullptr;
    std::optional<Error> error = {};
    [[nodiscard]] bool is_end() const { return staged == nullptr && !error; }
  };

  void feed();
  [[nodiscard]] bool pause_here(Lock& lock);
  void poll();
  [[nodiscard]] Result<bool> poll_copies(Staged& staged);
  [[nodiscard]] Status land();
  [[nodiscard]] Status free_what_is_read();
  [[nodiscard]] bool has_events() const;
  void rest();
  [[nodiscard]] std::chrono::microseconds rest_time() const;
  [[nodiscard]] Staged* take_free();
  [[nodiscard]] bool fetch(Staged* staged);
  [[nodiscard]] Status stage(Staged& staged, loader::Slot& slot);
  [[nodiscard]] Status copy_part(Staged::Part& part, const loader::Slot& slot, std::size_t number);
  bool arrive(Arrival arrival);
  [[nodiscard]] std::optional<Error> refusal() const;
  [[nodiscard]] bool wait_for_arrival(Lock& lock, std::chrono::milliseconds timeout);
  void end_epoch();
  [[nodiscard]] bool skip_end();
  class Pause;
  void tell_end() noexcept;
  [[nodiscard]] bool stop(std::chrono::steady_clock::time_point end,
                          std::chrono::milliseconds least_for_ring) noexcept;
  static void stop_all() noexcept;
  void let_go() noexcept;

  const int process_;
  std::shared_ptr<loader::Ring> ring_;  // null after close
  std::shared_ptr<const Cargo> cargo_;
  const std::vector<std::shared_ptr<const Context>> contexts_;
  std::vector<Stream> copy_streams_;
  std::vector<std::unique_ptr<Staged>> staged_;
  std::vector<std::shared_ptr<const void>> launches_;
  const std::size_t slots_;

  mutable std::mutex mutex_;
  std::condition_variable work_;     // wakes the feeder
  std::condition_variable arrived_;  // wakes consumers at an arrival
  std::condition_variable paused_;   // wakes seek and close, which wait for the feeder or consumers
  std::vector<Staged*> free_;
  std::deque<Arrival> arrivals_;
  std::vector<Staged*> busy_;     // returned or dropped by consumers; free after their events
  std::vector<Staged*> copying_;  // used by the feeder only: those with a slot
  std::vector<Piece> pieces_;     // used by the feeder only
  std::chrono::microseconds pause_between_;  // used by the feeder only: time between polls
  bool behind_kernels_ = false;              // kernels read all staged memory
  std::size_t waiting_ = 0;                  // number of waiting consumers
  loader::Cursor deliver_;                   // the step of the next batch that next() hands out
  bool fetching_ = true;                     // false after an error has arrived
  bool skipping_end_ = false;                // the end that arrives next is not told
  bool pause_ = false;                       // request to the feeder
  bool resting_ = false;                     // the feeder has paused
  bool cancelled_ = false;
  bool closing_ = false;
  bool feeder_done_ = true;
  std::size_t handed_ = 0;  // number of batches between next() and give_back()
  std::optional<Error> failure_;
  double wait_seconds_ = 0;
  std::atomic<std::uint64_t> copied_bytes_{0};
  std::timed_mutex seek_mutex_;  // one seek or close at a time
  std::thread feeder_;
  bool stopped_ = false;  // under seek_mutex_
};

}  // namespace hotpack::device
