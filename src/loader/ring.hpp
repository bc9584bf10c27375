// The ring: threads fill slots with the batches of coming steps, and consumers lease the slots in
// order. Host and device loaders share this class.
//
// The RowFiller knows what a batch contains; the Ring only schedules. Every slot is in one of these
// states at any time: free; in the queue (being filled or ready, in the order of delivery); leased;
// or dropped by seek and waiting for the last thread that fills it. While consumers hold many
// slots, the Ring makes further ones, and frees them again later. Ownership: the Ring owns slots,
// threads and filler. The loader, each lease and each thread share the Ring, so the last of them
// frees it. Whoever calls start() must call close(). Thread-safety: several threads may call all
// members at once; for a forked child see forked(). Failure: as Loader::next.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "hotpack/result.hpp"
#include "loader/slot.hpp"

namespace hotpack::loader {

// Rows first … last − 1 of a batch.
struct RowRange {
  std::size_t first = 0;
  std::size_t last = 0;
  [[nodiscard]] std::size_t size() const { return last - first; }
};

// The failure of a row of a batch.
struct RowError {
  std::size_t row = 0;
  Error error;
};

class RowFiller {
 public:
  RowFiller() = default;
  RowFiller(const RowFiller&) = delete;
  RowFiller& operator=(const RowFiller&) = delete;
  virtual ~RowFiller() = default;

  // Begins the batch of the step slot.cursor, and gives slot.samples one element per row. Called
  // before any fill() of this batch, under the Ring's lock. So it must be short and must not use
  // files.
  virtual void begin(Slot& slot) = 0;
  // Writes the given rows of the batch. Several threads call fill() at once for different rows of a
  // slot; `thread` is the number of the calling thread, from 0. When fill() returns, other threads
  // can see what it wrote. If rows fail, returns the error of the lowest one.
  [[nodiscard]] virtual std::optional<RowError> fill(Slot& slot, RowRange rows,
                                                     unsigned thread) = 0;
};

struct RingOptions {
  std::size_t rows_per_item = 1;  // rows that a thread takes at once
  std::uint64_t steps = 1;        // steps per epoch
  unsigned threads = 1;
  std::uint64_t stride = 1;  // from one step to the next; if it is more, reads ahead in one epoch
};

// Further slots for consumers that hold many. Without `make`, the number of slots is fixed.
struct RingGrowth {
  // Called without the Ring's lock, also by several threads at once.
  std::function<Result<std::unique_ptr<Slot>>()> make = {};
  std::size_t most_slots = 0;  // in the ring, with those that it began with
};

class Ring : public std::enable_shared_from_this<Ring> {
 public:
  Ring(RingOptions options, std::vector<std::unique_ptr<Slot>> slots,
       std::unique_ptr<RowFiller> filler, Cursor start, RingGrowth growth = {});
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // Starts the threads. Call it once, after a shared_ptr holds the Ring.
  [[nodiscard]] Status start();

  // Examines the next batch before next() returns it. If the function returns an error, next()
  // fails with it, and the batch stays the next one. Called under the lock.
  using Accept = std::function<std::optional<Error>(const Slot& slot)>;
  // Returns the slot of the next step, leased to the caller until release(). At the end of an
  // epoch, exactly one caller gets null. `timeout`: 0 waits without limit; if it is negative, only
  // a batch that is ready is returned.
  [[nodiscard]] Result<Slot*> next(std::chrono::milliseconds timeout, const Accept& accept = {});
  // As next(), for a caller that may hold the slot for long: first makes another slot if so many
  // are leased that reading ahead would stop. If none can be made, continues without it; if then
  // all are leased, returns the reason.
  [[nodiscard]] Result<Slot*> next_to_hold(std::chrono::milliseconds timeout);
  void release(Slot* slot) noexcept;  // may free the slot

  // Goes to step 0 … steps, and drops what was read ahead.
  [[nodiscard]] Status seek(Cursor cursor);
  // Goes to step 0 of `epoch`. Keeps what was read ahead if the ring stands there, or at the end of
  // the epoch before, whether next() has told this end or not.
  [[nodiscard]] Status begin_epoch(std::uint64_t epoch);
  // the step that next() returns next; in a forked child, the one at the fork
  [[nodiscard]] Cursor position() const;

  [[nodiscard]] std::size_t slots() const { return slot_count_; }
  [[nodiscard]] std::size_t leased() const;  // in a forked child, at the fork

  void cancel() noexcept;
  // Stops the threads and waits for them, at most for `patience`. Threads that do not end by then
  // are left behind.
  void close(std::chrono::milliseconds patience = std::chrono::seconds(5)) noexcept;

  // Returns true in a child process of the one that made the Ring. The child must not use the Ring,
  // and must leak it: the threads do not exist in the child, and the lock may be held there for
  // ever.
  [[nodiscard]] bool forked() const;

  [[nodiscard]] const RingOptions& options() const { return options_; }
  [[nodiscard]] RowFiller& filler() { return *filler_; }

 private:
  struct Item {
    Slot* slot = nullptr;
    RowRange rows;
  };
  using Lock = std::unique_lock<std::mutex>;

  void work(unsigned thread);
  [[nodiscard]] bool item_available() const;
  [[nodiscard]] Item take_item();
  void begin_slot();
  void finish(const Item& item, std::optional<RowError> failed);
  [[nodiscard]] Result<Slot*> take_front(Lock& lock, std::chrono::milliseconds timeout,
                                         const Accept& accept);
  [[nodiscard]] bool wants_slot() const;
  [[nodiscard]] std::optional<Error> add_slot(Lock& lock);
  [[nodiscard]] std::unique_ptr<Slot> remove(const Slot* slot) noexcept;
  // the reason why next() cannot continue, other than an error in the data
  [[nodiscard]] std::optional<Error> refusal() const;
  [[nodiscard]] bool front_ready() const;
  [[nodiscard]] bool wait_for_front(Lock& lock, std::chrono::milliseconds timeout);
  [[nodiscard]] Slot* end_epoch();
  void drop_queue();
  [[nodiscard]] std::uint64_t step_after(std::uint64_t step) const;

  const RingOptions options_;
  const std::unique_ptr<RowFiller> filler_;
  const RingGrowth growth_;
  const std::size_t most_unleased_;  // a slot that is released beyond them is freed
  const int process_;

  mutable std::mutex mutex_;
  std::condition_variable work_;     // threads wait for a row to fill
  std::condition_variable ready_;    // consumers wait for the front of the queue
  std::condition_variable stopped_;  // close() waits for the threads
  std::vector<std::unique_ptr<Slot>> slots_;
  std::atomic<std::size_t> slot_count_;  // of slots_; read without the lock, also in a forked child
  std::size_t making_ = 0;               // slots that consumers are making
  std::size_t holders_ = 0;              // consumers in next_to_hold()
  std::vector<Slot*> free_;
  std::vector<Slot*> queue_;  // in the order of delivery
  Slot* filling_ = nullptr;   // the last slot of the queue, while some of its rows are not taken
  std::size_t leased_ = 0;
  Cursor fill_;                 // the step for the next free slot
  Cursor deliver_;              // the step at the front
  bool last_end_told_ = false;  // for the last possible epoch
  bool cancelled_ = false;
  bool closed_ = false;
  bool abandoned_ = false;  // close() has left threads behind
  unsigned running_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace hotpack::loader
