// Device memory for expanded batches, which is lent and reused.
//
// When a lease ends, an event is recorded on each stream that used the memory. The next user of the
// memory makes its stream wait for these events. So no host thread waits, and nothing overwrites
// memory that a stream still reads. If a stream is being captured into a graph when a lease ends,
// no event can be recorded on it, and it is unknown when the memory will be free. Such memory is
// neither reused nor freed until an event could be recorded. If a stream was destroyed before the
// end of the lease, this can never be known, and the memory is kept until the pool ends. Ownership:
// the pool owns all memory; a lease borrows it and keeps the pool. Thread-safe. Failure: `io` if
// the driver has no memory, or if a context has failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "device/handles.hpp"
#include "hotpack/result.hpp"

namespace hotpack::device {

// The bytes of the image and the label of one part of a batch: the rows of one device.
struct OutputBytes {
  std::uint64_t image = 0;
  std::uint64_t label = 0;
};

// A stream that uses the memory of a part of a batch, and the thread that passed the stream to
// hotpack. The thread matters, because the handle of the per-thread stream means another stream on
// each thread.
struct StreamUse {
  std::size_t part = 0;
  StreamHandle stream = nullptr;
  std::thread::id thread;
  bool operator==(const StreamUse&) const = default;
};

// The memory of one batch.
struct OutputMemory {
  struct Part {
    DeviceMemory image;
    DeviceMemory label;
    Event written;            // recorded after the kernels
    std::vector<Event> used;  // one per stream that the last lease used
    std::size_t used_count = 0;
  };
  std::vector<Part> parts;
  std::vector<StreamUse> unnoted;  // streams that the last lease used and that have no event yet
};

class OutputPool {
 public:
  OutputPool(std::vector<std::shared_ptr<const Context>> contexts, std::vector<OutputBytes> bytes,
             unsigned most);
  ~OutputPool();
  OutputPool(const OutputPool&) = delete;
  OutputPool& operator=(const OutputPool&) = delete;

  // Allocates all memory. Call it once, before the other functions.
  [[nodiscard]] Status allocate();
  // Records the events that could not be recorded when leases ended. Fails if a context has failed.
  [[nodiscard]] Status prepare();
  // Returns memory for a lease; null if there is none. Makes no call of the driver.
  [[nodiscard]] std::unique_ptr<OutputMemory> try_take();
  [[nodiscard]] bool any_free() const;
  [[nodiscard]] unsigned most() const { return most_; }
  // Returns the error that says why there is no memory, and how to continue.
  [[nodiscard]] Error none_left() const;
  // Takes back memory that try_take() returned and that nobody wrote.
  void give_back(std::unique_ptr<OutputMemory> memory) noexcept;
  // Takes memory back when a lease ends whose memory these streams used. Fails if a context has
  // failed; the memory is then dropped.
  [[nodiscard]] Status give_back(std::unique_ptr<OutputMemory> memory,
                                 std::vector<StreamUse> uses) noexcept;
  // Drops memory of a context that has failed: frees it after its kernels, and never reuses it.
  void drop(std::unique_ptr<OutputMemory> memory) noexcept;
  // Frees memory that is not leased now. Leased memory is freed when it returns.
  void close() noexcept;
  [[nodiscard]] std::uint64_t device_bytes(std::size_t part) const;

 private:
  // reserved for all memories, so that push_back never throws
  using List = std::vector<std::unique_ptr<OutputMemory>>;
  enum class Noted { yes, later, never };

  [[nodiscard]] Result<std::unique_ptr<OutputMemory>> make() const;
  [[nodiscard]] static Result<Noted> judge(const Driver& driver, const char* call, int code);
  [[nodiscard]] Result<Noted> note(const StreamUse& use, OutputMemory& memory) const;
  [[nodiscard]] Result<Noted> note_all(OutputMemory& memory) const noexcept;
  [[nodiscard]] Status settle(std::unique_ptr<OutputMemory> memory) noexcept;
  static void free_late_one(std::unique_ptr<OutputMemory> memory) noexcept;

  const std::vector<std::shared_ptr<const Context>> contexts_;
  const std::vector<OutputBytes> bytes_;
  const unsigned most_;
  std::mutex retry_mutex_;  // one prepare() or close() at a time; lock it before mutex_
  List retried_;            // under retry_mutex_
  mutable std::mutex mutex_;
  List free_;
  List unknown_;       // some uses have no event yet
  List kept_;          // used on a destroyed stream: kept until the pool ends
  unsigned made_ = 0;  // number of OutputMemory objects made so far
  bool closed_ = false;
};

}  // namespace hotpack::device
