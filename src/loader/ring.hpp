// The ring: threads fill slots with the batches of coming steps, consumers lease them in order. Host and device loaders share it.
//
// What a batch is made of is the RowFiller's business; the Ring schedules. Every slot is in one place at any time: free, in the queue
// (being filled or ready, in the order of delivery), leased, or dropped by seek and waiting for its last thread. Ownership: the Ring owns
// slots, threads and filler. It is held by shared_ptr: by the loader, by each lease and by each thread, so whoever comes last frees it. Who
// started it closes it. Thread-safety: all members may be called from several threads at once, but for the child of a fork, see forked().
// Failure: as Loader::next tells.
#pragma once

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

// A failed row of a batch.
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

  // A slot starts on slot.cursor. Called under the Ring's lock, before any fill of this batch: short, no files.
  virtual void begin(Slot& slot) = 0;
  // Writes these rows; called by several threads at once for different rows of a slot. `thread` counts from 0. What was written is visible
  // to other threads on return. Fails with the lowest row that failed.
  [[nodiscard]] virtual std::optional<RowError> fill(Slot& slot, RowRange rows, unsigned thread) = 0;
};

struct RingOptions {
  std::size_t rows = 1;           // of a batch
  std::size_t rows_per_item = 1;  // what a thread takes at once
  std::uint64_t steps = 1;        // of an epoch
  unsigned threads = 1;
};

class Ring : public std::enable_shared_from_this<Ring> {
 public:
  Ring(RingOptions options, std::vector<std::unique_ptr<Slot>> slots, std::unique_ptr<RowFiller> filler, Cursor start);
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // Starts the threads. Once, after the Ring is held by a shared_ptr.
  [[nodiscard]] Status start();

  // Looks at the next batch before it is handed out; an error leaves it where it is. Called under the lock.
  using Accept = std::function<std::optional<Error>(const Slot& slot)>;
  // The slot of the next step, leased to the caller until release(); null at the end of an epoch, which one caller is reported. `timeout`
  // 0: no limit; below 0: only what is ready.
  [[nodiscard]] Result<Slot*> next(std::chrono::milliseconds timeout, const Accept& accept = {});
  void release(Slot* slot) noexcept;

  // Goes to a step, 0 … steps; drops what was read ahead.
  [[nodiscard]] Status seek(Cursor cursor);
  [[nodiscard]] Cursor position() const;  // the step that next() gives next; in the child of a fork, the one at the fork

  void cancel() noexcept;
  // Stops the threads and waits for them; leaves behind those that do not come within `patience`.
  void close(std::chrono::milliseconds patience = std::chrono::seconds(5)) noexcept;

  // True in a child of the process that made the Ring. Nothing of it may be used or destroyed there (its threads do not exist, its lock may
  // be held for ever): the child must leak it.
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
  [[nodiscard]] std::optional<Error> refusal() const;  // why next() cannot go on, apart from the data
  [[nodiscard]] bool front_ready() const;
  [[nodiscard]] bool wait_for_front(Lock& lock, std::chrono::milliseconds timeout);
  [[nodiscard]] Slot* end_epoch();
  void drop_queue();
  [[nodiscard]] Cursor after(Cursor cursor) const;

  const RingOptions options_;
  const std::vector<std::unique_ptr<Slot>> slots_;
  const std::unique_ptr<RowFiller> filler_;
  const int process_;

  mutable std::mutex mutex_;
  std::condition_variable work_;     // threads wait for a row to fill
  std::condition_variable ready_;    // consumers wait for the front of the queue
  std::condition_variable stopped_;  // close() waits for the threads
  std::vector<Slot*> free_;
  std::vector<Slot*> queue_;  // in the order of delivery
  Slot* filling_ = nullptr;   // the last of the queue, while it has rows that no thread has taken
  std::size_t leased_ = 0;
  Cursor fill_;                 // the step that the next free slot is filled with
  Cursor deliver_;              // the step at the front
  bool last_end_told_ = false;  // of the last epoch there is
  bool cancelled_ = false;
  bool closed_ = false;
  bool abandoned_ = false;  // close() has left threads behind
  unsigned running_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace hotpack::loader
