// Lanes: each brings the records that one thread reads to their resident place, chunk by chunk,
// through pinned buffers to every device.
//
// Ownership: a lane borrows the set. One thread at a time uses a lane; its destructor waits for
// copies in flight. Failure: `io` from the driver.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/resident_set.hpp"
#include "hotpack/device_loader.hpp"

namespace hotpack::device {

// A chunk: the blocks of consecutive samples.
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
  // Returns the address at which to write the chunk. May wait until an earlier chunk is copied.
  [[nodiscard]] virtual Result<std::byte*> room(const Chunk& chunk) = 0;
  [[nodiscard]] virtual Status written(const Chunk& chunk) = 0;
  // Waits until all chunks are in their resident place.
  [[nodiscard]] virtual Status finish() = 0;
};

struct LoadOptions {
  unsigned threads = 1;
  // the bytes that a thread reads at once; a chunk has at least one record
  std::uint64_t chunk_bytes = std::uint64_t{8} << 20;
  // limit for pinned buffers: if necessary, chunks become smaller and lanes fewer
  std::uint64_t buffer_budget_bytes = ~std::uint64_t{0};
};

// The memory of a data set, and the lanes that fill it.
struct ResidentMemory {
  std::shared_ptr<ResidentSet> set;
  std::uint64_t chunk_bytes = 0;
  // one per thread, at least one; destroyed before the set
  std::vector<std::unique_ptr<Lane>> lanes;
};

// Allocates all memory that the load needs.
[[nodiscard]] Result<ResidentMemory> take_resident(
    std::shared_ptr<const RecordBlocks> blocks,
    const std::vector<std::shared_ptr<const Context>>& contexts, const LoadOptions& options);

}  // namespace hotpack::device
