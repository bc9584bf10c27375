// Memory of a FakeDriver: every block has its own mapping between protected pages.
//
// A block ends at the upper fence, as far as its alignment allows; the bytes in between are checked
// when it is freed. The addresses of freed blocks stay unused for a while.
// Ownership: owns the mappings; blocks are records about them. Not thread-safe: FakeState locks.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>

namespace hotpack::test {

struct FakeContext;

inline std::uintptr_t address(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}
inline void* host(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

enum class MemoryKind { device, pinned };

struct Block {
  MemoryKind kind = MemoryKind::device;
  FakeContext* context = nullptr;  // of the device that has it; pinned: that was current
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  std::size_t pending = 0;  // operations in flight that use it
  bool managed = false;     // any device may use it
  bool of_pool = false;
  bool poisoned = false;  // freed while in use
  void* mapping = nullptr;
  std::size_t mapping_bytes = 0;

  [[nodiscard]] bool holds(std::uintptr_t address, std::size_t size) const {
    return address >= begin && address - begin <= bytes && size <= bytes - (address - begin);
  }
};
using BlockPtr = std::shared_ptr<Block>;

struct FakeMemory {
  explicit FakeMemory(bool has_fences) : fences(has_fences) {}
  ~FakeMemory() {
    for (const auto& [begin, block] : live) ::munmap(block->mapping, block->mapping_bytes);
    for (const BlockPtr& block : freed) ::munmap(block->mapping, block->mapping_bytes);
  }
  FakeMemory(const FakeMemory&) = delete;
  FakeMemory& operator=(const FakeMemory&) = delete;

  // Null if the system has no more. Without fences pages stay untouched until they are used.
  BlockPtr take(MemoryKind kind, FakeContext& context, std::size_t bytes) {
    const std::size_t fence = fences ? kPage : 0, inside = rounded(bytes, kPage);
    auto block = std::make_shared<Block>();
    block->kind = kind;
    block->context = &context;
    block->bytes = bytes;
    block->mapping_bytes = inside + 2 * fence;
    block->mapping = map(nullptr, block->mapping_bytes, 0);
    if (block->mapping == MAP_FAILED) return nullptr;
    void* const usable = host(address(block->mapping) + fence);
    if (::mprotect(usable, inside, PROT_READ | PROT_WRITE) != 0) return nullptr;
    if (fences) std::memset(usable, poison(kind), inside);
    block->begin = address(usable) + inside - taken(*block);
    live.emplace(block->begin, block);
    return block;
  }

  // The block that has this byte; null: none.
  [[nodiscard]] BlockPtr find(std::uintptr_t address) const {
    const auto after = live.upper_bound(address);
    if (after == live.begin()) return nullptr;
    const BlockPtr& block = std::prev(after)->second;
    return block->holds(address, 1) ? block : nullptr;
  }

  [[nodiscard]] bool was_freed(std::uintptr_t address) const {  // as far as it is remembered
    return std::any_of(freed.begin(), freed.end(),
                       [&](const BlockPtr& block) { return block->holds(address, 1); });
  }

  // False if something was written behind the block.
  [[nodiscard]] bool is_intact(const Block& block) const {
    const auto* const begin = static_cast<const unsigned char*>(host(block.begin));
    return !fences || std::all_of(begin + block.bytes, begin + taken(block),
                                  [&](int value) { return value == poison(block.kind); });
  }

  void forget(const BlockPtr& block) {  // find() no longer gives it
    constexpr std::size_t kMostRemembered = 256;
    live.erase(block->begin);
    freed.push_back(block);
    if (freed.size() <= kMostRemembered) return;
    const auto oldest = std::find_if(freed.begin(), freed.end() - 1,
                                     [](const BlockPtr& each) { return each->pending == 0; });
    if (oldest == freed.end() - 1) return;
    ::munmap((*oldest)->mapping, (*oldest)->mapping_bytes);
    freed.erase(oldest);
  }

  // The end of a block: touching it faults. While work in flight uses it, it has other bytes
  // instead, so that the work does no harm.
  static void wipe(Block& block, bool in_use) {
    constexpr int kFreedPoison = 0xDD;
    block.poisoned = in_use;
    if (in_use) {
      std::memset(host(block.begin), kFreedPoison, block.bytes);
    } else {
      map(block.mapping, block.mapping_bytes, MAP_FIXED);
    }
  }

  bool fences;
  std::map<std::uintptr_t, BlockPtr> live;
  std::deque<BlockPtr> freed;

 private:
  static constexpr std::size_t kPage = 4096, kDeviceAlignment = 256;
  static std::size_t rounded(std::size_t bytes, std::size_t to) {
    return (bytes + to - 1) / to * to;
  }
  static std::size_t taken(const Block& block) {
    return rounded(block.bytes, block.kind == MemoryKind::device ? kDeviceAlignment : kPage);
  }
  static int poison(MemoryKind kind) { return kind == MemoryKind::device ? 0xA5 : 0x5A; }
  static void* map(void* at, std::size_t bytes, int flags) {
    return ::mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  }
};

}  // namespace hotpack::test
