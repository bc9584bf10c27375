// How each thread of a load gets its chunks of records to where they stay: at once into pinned memory, or by way of pinned buffers to every
// device.
//
// Ownership: a lane borrows the set. It belongs to one thread at a time; its destructor waits for copies in flight.
// Failure: the driver's, `io`.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/resident_set.hpp"
#include "hotpack/device_loader.hpp"

namespace hotpack::device {

// The blocks of consecutive samples.
struct Chunk {
  std::uint64_t first = 0;  // samples first … last − 1
  std::uint64_t last = 0;
  std::uint64_t begin = 0;  // of the whole set's blocks
  std::uint64_t bytes = 0;
};

class Lane {
 public:
  Lane() = default;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  virtual ~Lane() = default;
  // Where the chunk is to be written. May wait for an earlier one.
  [[nodiscard]] virtual Result<std::byte*> room(const Chunk& chunk) = 0;
  [[nodiscard]] virtual Status written(const Chunk& chunk) = 0;
  // Waits until all is where it stays.
  [[nodiscard]] virtual Status finish() = 0;
};

struct LoadOptions {
  unsigned threads = 1;
  std::uint64_t chunk_bytes = std::uint64_t{8} << 20;     // that a thread reads at once, but one record at least
  std::uint64_t buffer_budget_bytes = ~std::uint64_t{0};  // of pinned buffers: smaller chunks and fewer threads keep to it, if they can
};

// Memory that was taken for a data set, and what brings records there.
struct ResidentMemory {
  std::shared_ptr<ResidentSet> set;
  std::uint64_t chunk_bytes = 0;
  std::vector<std::unique_ptr<Lane>> lanes;  // a thread each; at least one; they go before the set
};

// Takes all memory that the load needs. Precondition: residency pinned or device.
[[nodiscard]] Result<ResidentMemory> take_resident(Residency residency, std::shared_ptr<const RecordBlocks> blocks,
                                                   const std::vector<std::shared_ptr<const Context>>& contexts, const LoadOptions& options);

}  // namespace hotpack::device
