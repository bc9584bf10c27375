// Memory for the Loader's slots: ordinary by default. Implement this interface to use pinned memory
// or any other.
//
// Ownership: the Loader and its batches share the allocator and release every block before they
// drop it. Thread-safety: any thread may call allocate() and release(), also several at once. They
// must not throw. Everything they use must live until the last block is released; a thread that
// Loader::close() has abandoned releases its block only when the thread ends.
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

  /// Returns the address of a new block of `bytes` bytes (at least 1), aligned to at least 64
  /// bytes, preferably to a page. Failure: an Error that names the size.
  [[nodiscard]] virtual Result<std::byte*> allocate(std::size_t bytes) = 0;
  virtual void release(std::byte* memory, std::size_t bytes) noexcept = 0;
};

}  // namespace hotpack
