// Brings each thread's chunks of records to their resident place: directly into pinned memory, or
// through pinned buffers to every device.
//
// Ownership: a lane borrows the set. One thread at a time uses it; its destructor waits for
// copies in flight.
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
  std::uint64_t begin = 0;  // within the whole set's blocks
  std::uint64_t bytes = 0;
};

class Lane {
 public:
  Lane() = default;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  virtual ~Lane() = default;
  // The place to write the chunk. May wait for an earlier chunk.
  [[nodiscard]] virtual Result<std::byte*> room(const Chunk& chunk) = 0;
  [[nodiscard]] virtual Status written(const Chunk& chunk) = 0;
  // Waits until everything is in place.
  [[nodiscard]] virtual Status finish() = 0;
};

struct LoadOptions {
  unsigned threads = 1;
  // that a thread reads at once; at least one record
  std::uint64_t chunk_bytes = std::uint64_t{8} << 20;
  // limit for pinned buffers: if necessary, chunks get smaller and threads fewer
  std::uint64_t buffer_budget_bytes = ~std::uint64_t{0};
};

// The memory of a data set, and the lanes that fill it.
struct ResidentMemory {
  std::shared_ptr<ResidentSet> set;
  std::uint64_t chunk_bytes = 0;
  // one per thread, at least one; destroyed before the set
  std::vector<std::unique_ptr<Lane>> lanes;
};

// Allocates all memory for the load. Precondition: the residency is pinned or device.
[[nodiscard]] Result<ResidentMemory> take_resident(
    Residency residency, std::shared_ptr<const RecordBlocks> blocks,
    const std::vector<std::shared_ptr<const Context>>& contexts, const LoadOptions& options);

}  // namespace hotpack::device
