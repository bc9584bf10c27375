// Memory of a FakeDriver: every block has its own mapping between protected pages.
//
// A block ends at the upper fence, as far as its alignment allows; the bytes in between are checked
// when it is given back. Fresh memory is filled with a pattern; what was given back cannot be
// touched, and its addresses stay unused for a while. Ownership: owns the mappings; blocks are
// records about them. Not thread-safe: FakeState locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace hotpack::test {

struct FakeContext;

enum class MemoryKind { device, pinned };

inline constexpr std::byte kDevicePoison{0xA5}, kPinnedPoison{0x5A}, kFreedPoison{0xDD};

struct Block {
  MemoryKind kind = MemoryKind::device;
  FakeContext* context = nullptr;  // that was current when it was taken
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  std::size_t slack = 0;    // bytes between its end and the upper fence
  std::size_t pending = 0;  // operations in flight that use it
  bool managed = false;     // any device may use it
  bool mapped = false;      // not of one cuMemAlloc: what follows may be mapped too
  std::byte* mapping = nullptr;
  std::size_t mapping_bytes = 0;

  [[nodiscard]] bool holds(std::uintptr_t address, std::size_t size) const {
    return address >= begin && address - begin <= bytes && size <= bytes - (address - begin);
  }
};

class FakeMemory {
 public:
  explicit FakeMemory(bool fences) : fences_(fences) {}
  ~FakeMemory();
  FakeMemory(const FakeMemory&) = delete;
  FakeMemory& operator=(const FakeMemory&) = delete;

  [[nodiscard]] std::shared_ptr<Block> take(MemoryKind kind, FakeContext* context,
                                            std::size_t bytes);  // null: the system has none
  [[nodiscard]] std::shared_ptr<Block> find(
      std::uintptr_t address) const;  // the block that has this byte; null: none
  [[nodiscard]] bool was_freed(std::uintptr_t address) const;  // as far as it is remembered
  [[nodiscard]] bool intact(const Block& block) const;         // nothing was written behind it
  void free(const std::shared_ptr<Block>& block);
  // Frees a block that work in flight still uses: it stays readable with another pattern, so that
  // the work does no harm.
  void free_in_use(const std::shared_ptr<Block>& block);
  // Makes memory of this kind fault when touched. Returns the number of blocks.
  std::size_t take_away(MemoryKind kind);
  [[nodiscard]] const std::map<std::uintptr_t, std::shared_ptr<Block>>& live() const {
    return live_;
  }

 private:
  void forget_oldest();

  bool fences_;
  std::map<std::uintptr_t, std::shared_ptr<Block>> live_;
  std::vector<std::shared_ptr<Block>> freed_in_use_;
  std::deque<std::shared_ptr<Block>> freed_;
};

}  // namespace hotpack::test
