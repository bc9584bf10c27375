// Device memory for expanded batches, leased and reused.
//
// At release, an event records a lease's use of each stream, and the next user of the memory
// makes its stream wait for that event. So no host thread waits, and nothing overwrites memory
// that a stream still reads. If no event can be recorded at release, because the stream is being
// captured into a graph, the use of the memory is unknown: it is neither reused nor freed until
// an event was recorded later. Memory used on a stream that was destroyed before the release is
// kept for good, because its use can no longer be known. Both last until the pool ends.
// Ownership: the pool owns all memory; a lease borrows it and keeps the pool. Thread-safe.
// Failure: `io` if the driver has no memory, or a context has failed.
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

// Bytes of a part's fields.
struct OutputBytes {
  std::uint64_t image = 0;
  std::uint64_t label = 0;
};

// A stream that uses a part, and the thread that named it, since that determines the per-thread
// stream.
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
    std::vector<Event> used;  // one per stream of the last lease
    std::size_t used_count = 0;
  };
  std::vector<Part> parts;
  std::vector<StreamUse> unnoted;  // streams of the last lease that have no event yet
};

class OutputPool {
 public:
  OutputPool(std::vector<std::shared_ptr<const Context>> contexts, std::vector<OutputBytes> bytes,
             unsigned most);
  ~OutputPool();
  OutputPool(const OutputPool&) = delete;
  OutputPool& operator=(const OutputPool&) = delete;

  // Allocates all memory. Call it once, first.
  [[nodiscard]] Status allocate();
  // Records events that could not be recorded at releases. Returns the error of a context that
  // has failed.
  [[nodiscard]] Status prepare();
  // Memory for a lease; null if there is none. Makes no call of the driver.
  [[nodiscard]] std::unique_ptr<OutputMemory> try_take();
  [[nodiscard]] bool any_free() const;
  [[nodiscard]] unsigned most() const { return most_; }
  // The reason why there is none, and how to continue.
  [[nodiscard]] Error none_left() const;
  // Returns memory that was acquired but not written.
  void give_back(std::unique_ptr<OutputMemory> memory) noexcept;
  // Ends a lease with these uses. Returns the error of a context that has failed; then the memory
  // is dropped.
  [[nodiscard]] Status give_back(std::unique_ptr<OutputMemory> memory,
                                 std::vector<StreamUse> uses) noexcept;
  // Drops memory of a context that has failed: it is freed after its kernels, and never reused.
  void drop(std::unique_ptr<OutputMemory> memory) noexcept;
  // Frees memory that is not leased now, and leased memory as it returns.
  void close() noexcept;
  [[nodiscard]] std::uint64_t device_bytes(std::size_t part) const;

 private:
  // with room for all, so that nothing throws
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
  List unknown_;       // whose use is unknown
  List kept_;          // kept for good
  unsigned made_ = 0;  // total number of memories
  bool closed_ = false;
};

}  // namespace hotpack::device
