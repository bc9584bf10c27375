// One slot of the ring: the memory of one batch and the description of its rows.
//
// Ownership: a Slot owns its memory, which comes from a SlotAllocator. Not thread-safe by itself:
// the Ring decides who may use it. While it is filled, several threads write to different rows;
// call grow() only if a batch has one row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hotpack/augment.hpp"
#include "hotpack/loader.hpp"
#include "hotpack/order.hpp"
#include "hotpack/result.hpp"
#include "hotpack/slot_memory.hpp"

namespace hotpack::loader {

// A step of an epoch.
struct Cursor {
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;
  bool operator==(const Cursor&) const = default;
};

// A block from an allocator; the destructor releases it.
class SlotMemory {
 public:
  SlotMemory() = default;
  ~SlotMemory();
  SlotMemory(SlotMemory&& other) noexcept;
  SlotMemory& operator=(SlotMemory&& other) noexcept;
  [[nodiscard]] static Result<SlotMemory> take(std::shared_ptr<SlotAllocator> allocator,
                                               std::size_t bytes);  // bytes may be 0
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::shared_ptr<SlotAllocator> allocator_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Pages of ordinary memory; huge pages if the system has them.
[[nodiscard]] std::shared_ptr<SlotAllocator> page_allocator();

struct Slot {
  SlotMemory memory;
  BatchField image;  // image and label are views into `memory`
  BatchField label;
  std::vector<std::int64_t> samples;  // one per batch row, so its size is the number of rows
  std::vector<std::string> keys;
  std::vector<SampleCrop> crops;
  std::size_t valid = 0;

  Cursor cursor;
  EpochOrder order;  // for order_epoch, which the RowFiller advances to cursor.epoch
  std::optional<std::uint64_t> order_epoch;
  bool first_of_run = false;  // after open() or seek(): nothing was read ahead for this batch

  // Used by the Ring only, under its lock.
  std::size_t rows_taken = 0;  // rows that threads have begun to fill
  std::size_t rows_done = 0;   // rows that threads have filled
  bool dropped = false;        // by seek(): the slot becomes free after every taken row is done
  std::size_t error_row = 0;   // the lowest row that failed
  std::optional<Error> error;
};

// Replaces the slot's memory by a new block with room for an image and a label of these sizes; the
// label starts on a page of its own. Sets `bytes` of image and label. Their earlier contents are
// lost.
[[nodiscard]] Status grow(Slot& slot, const std::shared_ptr<SlotAllocator>& allocator,
                          std::uint64_t image_bytes, std::uint64_t label_bytes);

// Bytes of the block that `grow` allocates, or nothing on overflow.
[[nodiscard]] std::optional<std::uint64_t> slot_block_bytes(std::uint64_t image_bytes,
                                                            std::uint64_t label_bytes);

}  // namespace hotpack::loader
