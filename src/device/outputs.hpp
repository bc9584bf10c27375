// Device memory for expanded batches that is leased and reused.
//
// What a lease has used on a stream is remembered as an event at its release; whoever has the memory next makes its stream wait for that.
// So nobody on the host waits, and nothing is written over that a stream still reads. Ownership: the pool owns all memory; a lease borrows
// it and keeps the pool. Thread-safe. Failure: `io` where the driver has no memory, or a call fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "device/handles.hpp"
#include "hotpack/device_loader.hpp"
#include "hotpack/result.hpp"

namespace hotpack::device {

// Bytes of a part's fields.
struct OutputBytes {
  std::uint64_t image = 0;
  std::uint64_t label = 0;
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
};

class OutputPool {
 public:
  OutputPool(std::vector<std::shared_ptr<const Context>> contexts, std::vector<OutputBytes> bytes, unsigned most);
  ~OutputPool();
  OutputPool(const OutputPool&) = delete;
  OutputPool& operator=(const OutputPool&) = delete;

  // Takes more memory where all that exists is leased and more may be had: try_take() then has some, unless another thread was faster.
  [[nodiscard]] Status prepare();
  // Memory of a lease; null where there is none. Calls no driver.
  [[nodiscard]] std::unique_ptr<OutputMemory> try_take();
  // Whether all that may exist is leased.
  [[nodiscard]] bool all_leased() const;
  void give_back(std::unique_ptr<OutputMemory> memory) noexcept;
  // Of memory whose use nobody can tell: it is freed once its kernels are over, and never reused.
  void drop(std::unique_ptr<OutputMemory> memory) noexcept;
  // Frees what is not leased, and leases from now on as they come back.
  void close() noexcept;
  [[nodiscard]] std::uint64_t device_bytes(std::size_t part) const;

 private:
  [[nodiscard]] Result<std::unique_ptr<OutputMemory>> allocate() const;
  static void free_all(std::vector<std::unique_ptr<OutputMemory>> all) noexcept;

  const std::vector<std::shared_ptr<const Context>> contexts_;
  const std::vector<OutputBytes> bytes_;
  const unsigned most_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<OutputMemory>> free_;
  unsigned made_ = 0;  // exist, or are being made
  bool closed_ = false;
};

}  // namespace hotpack::device
