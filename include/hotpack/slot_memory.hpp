// Where the Loader's slots live: ordinary memory by default, pinned or any other memory through this interface.
//
// Ownership: the Loader and its batches share the allocator and give every block back before they let go of it.
// Thread-safety: allocate() and release() may be called from any thread, also at once. They must not throw, and what they use must live
// until every block is given back: a thread that Loader::close() had to leave behind gives its own back only when it ends.
#pragma once

#include <cstddef>

#include "hotpack/result.hpp"

namespace hotpack {

class SlotAllocator {
 public:
  SlotAllocator() = default;
  SlotAllocator(const SlotAllocator&) = delete;
  SlotAllocator& operator=(const SlotAllocator&) = delete;
  virtual ~SlotAllocator() = default;

  /// `bytes` > 0, aligned to at least 64 bytes, better to a page. Failure: an Error that says what was asked for.
  [[nodiscard]] virtual Result<std::byte*> allocate(std::size_t bytes) = 0;
  virtual void release(std::byte* memory, std::size_t bytes) noexcept = 0;
};

}  // namespace hotpack
