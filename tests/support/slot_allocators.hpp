// Allocators of slots that observe the Loader, for tests.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "hotpack/slot_memory.hpp"

namespace hotpack::test {

// Counts blocks, and overwrites those that are released.
class CountingAllocator final : public SlotAllocator {
 public:
  std::atomic<int> taken{0};
  std::atomic<int> released{0};
  std::atomic<int> failing_from{1 << 30};  // this allocation (from 0) and all later ones fail

  Result<std::byte*> allocate(std::size_t bytes) override {
    if (taken >= failing_from)
      return usage_error("no " + std::to_string(bytes) + " bytes for a slot");
    ++taken;
    return static_cast<std::byte*>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096));
  }
  void release(std::byte* memory, std::size_t bytes) noexcept override {
    ++released;
    std::memset(memory, 0xDD, bytes);
    std::free(memory);
  }
};

// Blocks threads that fill slots of records of different sizes, which allocate while they are
// filled.
class HoldingAllocator final : public SlotAllocator {
 public:
  std::atomic<bool> hold{true};
  std::atomic<int> waiting{0};

  Result<std::byte*> allocate(std::size_t bytes) override {
    ++waiting;
    while (hold) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return inner_.allocate(bytes);
  }
  void release(std::byte* memory, std::size_t bytes) noexcept override {
    inner_.release(memory, bytes);
  }
  void await_thread() const {
    while (waiting == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

 private:
  CountingAllocator inner_;
};

}  // namespace hotpack::test
