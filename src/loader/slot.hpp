// One slot of the ring: the memory of one batch and what is reported about its rows.
//
// Ownership: a Slot owns its memory, taken from a SlotAllocator. Not thread-safe by itself: the Ring says who may touch it. While it is
// filled, several threads write to different rows; `grow` is for batches of one row alone.
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

// A block from an allocator, given back when it goes.
class SlotMemory {
 public:
  SlotMemory() = default;
  ~SlotMemory();
  SlotMemory(SlotMemory&& other) noexcept;
  SlotMemory& operator=(SlotMemory&& other) noexcept;
  [[nodiscard]] static Result<SlotMemory> take(std::shared_ptr<SlotAllocator> allocator, std::size_t bytes);  // bytes may be 0
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::shared_ptr<SlotAllocator> allocator_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Pages of ordinary memory, huge ones where the system has them.
[[nodiscard]] std::shared_ptr<SlotAllocator> page_allocator();

struct Slot {
  std::size_t number = 0;  // among the ring's slots
  SlotMemory memory;
  BatchField image;  // views into memory
  BatchField label;
  std::vector<std::int64_t> samples;  // a row each
  std::vector<std::string> keys;
  std::vector<SampleCrop> crops;
  std::size_t valid = 0;

  Cursor cursor;
  EpochOrder order;  // of order_epoch, which the RowFiller brings to cursor.epoch
  std::optional<std::uint64_t> order_epoch;
  bool first_of_run = false;  // after opening or seek: nothing was read ahead for this batch

  // The Ring's own, under its lock.
  std::size_t rows_taken = 0;  // handed to threads
  std::size_t rows_done = 0;   // come back
  bool dropped = false;        // by seek: free once every row taken has come back
  std::size_t error_row = 0;   // the lowest row that failed
  std::optional<Error> error;
};

// Makes room for image and label of these sizes: both in one block, the label on a page of its own. Fields' bytes are set, contents lost.
[[nodiscard]] Status grow(Slot& slot, const std::shared_ptr<SlotAllocator>& allocator, std::uint64_t image_bytes,
                          std::uint64_t label_bytes);

// Bytes of the block that `grow` takes; nothing on overflow.
[[nodiscard]] std::optional<std::uint64_t> slot_block_bytes(std::uint64_t image_bytes, std::uint64_t label_bytes);

}  // namespace hotpack::loader
