// Device memory for expanded batches that is leased and reused.
//
// What a lease has used on a stream is remembered as an event at its release; whoever has the memory next makes its stream wait for that.
// So nobody on the host waits, and nothing is written over that a stream still reads. Where no event can be recorded now, as the stream is
// being captured into a graph, memory is in unknown use: neither reused nor freed until that has been made up for. Memory of a stream that
// is gone (destroyed before the release) is kept back for good, as nobody can tell its use any more. Both end with the pool.
// Ownership: the pool owns all memory; a lease borrows it and keeps the pool. Thread-safe. Failure: `io` where the driver has no memory, or
// where a context has failed.
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

// A stream that uses a part, and from which thread: that is what the stream "per thread" means.
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
    Event written;            // behind the kernels
    std::vector<Event> used;  // one for each stream of the last lease
    std::size_t used_count = 0;
  };
  std::vector<Part> parts;
  std::vector<StreamUse> unnoted;  // of the last lease, without an event yet
};

class OutputPool {
 public:
  OutputPool(std::vector<std::shared_ptr<const Context>> contexts, std::vector<OutputBytes> bytes, unsigned most);
  ~OutputPool();
  OutputPool(const OutputPool&) = delete;
  OutputPool& operator=(const OutputPool&) = delete;

  // Takes all memory. Once, before anything else.
  [[nodiscard]] Status allocate();
  // Makes up for what could not be noted at releases. The error of a context that has failed.
  [[nodiscard]] Status prepare();
  // Memory of a lease; null where there is none. Calls no driver.
  [[nodiscard]] std::unique_ptr<OutputMemory> try_take();
  [[nodiscard]] bool any_free() const;
  [[nodiscard]] unsigned most() const { return most_; }
  // Why there is none, and how to go on.
  [[nodiscard]] Error none_left() const;
  // Of memory that was taken and not written.
  void give_back(std::unique_ptr<OutputMemory> memory) noexcept;
  // The end of a lease that was used so. The error of a context that has failed: then the memory is dropped.
  [[nodiscard]] Status give_back(std::unique_ptr<OutputMemory> memory, std::vector<StreamUse> uses) noexcept;
  // Of memory of a context that has failed: it is freed once its kernels are over, and never reused.
  void drop(std::unique_ptr<OutputMemory> memory) noexcept;
  // Frees what is not leased, and leases from now on as they come back.
  void close() noexcept;
  [[nodiscard]] std::uint64_t device_bytes(std::size_t part) const;

 private:
  using List = std::vector<std::unique_ptr<OutputMemory>>;  // has room for all, so that nothing is thrown
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
  std::mutex retry_mutex_;  // one prepare() or close() at a time; before mutex_
  List retried_;            // under retry_mutex_
  mutable std::mutex mutex_;
  List free_;
  List unknown_;       // in unknown use
  List kept_;          // back for good
  unsigned made_ = 0;  // exist
  bool closed_ = false;
};

}  // namespace hotpack::device
