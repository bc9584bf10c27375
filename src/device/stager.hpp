// Brings packed batches onto the devices ahead of the consumer: a ring of its own behind the ring of pinned slots.
//
// One thread, the feeder, takes filled slots in order, copies each part to its device on a copy stream, and watches events: a slot goes
// back to its ring once it is copied, staged memory is used again once the consumer's kernels have read it. It polls, since a callback of
// the driver is not called after an error of the context. No lock is held across a call of the driver. Ownership: shared by the loader and
// the feeder; owns ring, slots, staged memory and copy streams. Who starts it closes it. Thread-safety: all members from several threads at
// once. In the child of a fork refused() and seek() tell so, position(), cancel() and forked() may be called, and nothing else. Failure: as
// Ring::next; besides, the first call of the driver that fails, by whatever thread, is reported by every later call.
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

// A packed batch on its devices.
struct Staged {
  struct Part {
    DeviceMemory memory;
    Event copied;         // recorded by the feeder
    Event read;           // recorded by whoever gives kernels to the consumer's stream
    PixelSize output;     // of each row
    Pointer records = 0;  // base address of the rows' offsets
  };
  std::vector<Part> parts;
  loader::Cursor cursor;
  std::size_t valid = 0;
  std::vector<std::int64_t> samples;  // a row each
  std::vector<std::string> keys;
  std::vector<SampleCrop> crops;
  loader::Slot* slot = nullptr;  // the feeder's: still being copied from
};

struct StagerParts {
  std::shared_ptr<loader::Ring> ring;
  std::shared_ptr<const Cargo> cargo;
  std::vector<std::shared_ptr<const Context>> contexts;  // a part each
  std::vector<Stream> copy_streams;                      // likewise
  std::vector<std::unique_ptr<Staged>> staged;
  std::vector<std::shared_ptr<const void>> launches;  // kernels and tables that work in flight may use
  std::size_t slots = 3;                              // of the ring
  loader::Cursor start;
};

class Stager : public std::enable_shared_from_this<Stager> {
 public:
  explicit Stager(StagerParts parts);
  Stager(const Stager&) = delete;
  Stager& operator=(const Stager&) = delete;
  ~Stager();

  // Starts the ring and the feeder. Once, after the Stager is held by a shared_ptr.
  [[nodiscard]] Status start();

  // Looks at the next batch before it is handed out; an error leaves it where it is. Called under the lock.
  using Accept = std::function<Status(const Staged& staged)>;
  // The next batch, the caller's until give_back(); null at the end of an epoch. `timeout` as Ring::next.
  [[nodiscard]] Result<Staged*> next(std::chrono::milliseconds timeout, const Accept& accept);
  // Its memory may be used again once the `read` events recorded by now are over.
  void give_back(Staged* staged) noexcept;

  // The batch of this step could not be handed on after all: a state taken from now on does not count it.
  void take_back(loader::Cursor step) noexcept;

  [[nodiscard]] Status seek(loader::Cursor cursor);
  [[nodiscard]] loader::Cursor position() const;
  void cancel() noexcept;
  // Stops the threads; memory in use is freed late. Idempotent. At exit the threads of those that were not closed are stopped before the
  // driver's own end, for about a second, and memory is left to the driver.
  void close() noexcept;

  // Everything fails from now on, with the first such error.
  void fail(const Error& error) noexcept;
  [[nodiscard]] std::optional<Error> failure() const;
  [[nodiscard]] bool forked() const;  // as Ring's
  // Why nothing can be had any more, or for now.
  [[nodiscard]] std::optional<Error> refused() const;

  [[nodiscard]] bool is_closed() const;
  // That consumers waited, but for times when kernels of theirs read all staged memory.
  [[nodiscard]] double wait_seconds() const;
  [[nodiscard]] std::uint64_t copied_bytes() const { return copied_bytes_.load(); }

 private:
  using Lock = std::unique_lock<std::mutex>;
  // What comes next: a batch, an error of its step, or the end of an epoch.
  struct Arrival {
    Staged* staged = nullptr;
    std::optional<Error> error = {};
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
  class Pause;
  void tell_end() noexcept;
  [[nodiscard]] bool stop(std::chrono::steady_clock::time_point end, std::chrono::milliseconds least_for_ring) noexcept;
  static void stop_all() noexcept;
  void let_go() noexcept;

  const int process_;
  std::shared_ptr<loader::Ring> ring_;  // until close
  std::shared_ptr<const Cargo> cargo_;
  const std::vector<std::shared_ptr<const Context>> contexts_;
  std::vector<Stream> copy_streams_;
  std::vector<std::unique_ptr<Staged>> staged_;
  std::vector<std::shared_ptr<const void>> launches_;
  const std::size_t slots_;

  mutable std::mutex mutex_;
  std::condition_variable work_;     // the feeder rests
  std::condition_variable arrived_;  // consumers wait for an arrival
  std::condition_variable paused_;   // seek and close wait for the feeder, close for consumers
  std::vector<Staged*> free_;
  std::deque<Arrival> arrivals_;
  std::vector<Staged*> busy_;                // handed back or dropped; free once their events are over
  std::vector<Staged*> copying_;             // the feeder's: those with a slot
  std::vector<Piece> pieces_;                // the feeder's
  std::chrono::microseconds pause_between_;  // likewise: looks at events
  bool behind_kernels_ = false;              // they read all staged memory
  std::size_t waiting_ = 0;                  // consumers
  loader::Cursor deliver_;                   // the step at the front
  bool fetching_ = true;                     // until an error has arrived
  bool pause_ = false;                       // asked of the feeder
  bool resting_ = false;                     // the feeder has paused
  bool cancelled_ = false;
  bool closing_ = false;
  bool feeder_done_ = true;
  std::size_t handed_ = 0;  // between next and give_back
  std::optional<Error> failure_;
  double wait_seconds_ = 0;
  std::atomic<std::uint64_t> copied_bytes_{0};
  std::timed_mutex seek_mutex_;  // one seek or close at a time
  std::thread feeder_;
  bool stopped_ = false;  // under seek_mutex_
};

}  // namespace hotpack::device
