#include "support/fake_cuda/fake_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace hotpack::test {
namespace {

constexpr std::size_t kPage = 4096, kDeviceAlignment = 256;
constexpr std::size_t kRememberedBlocks = 256;

std::size_t rounded(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

std::byte* bytes_at(std::uintptr_t address) { return reinterpret_cast<std::byte*>(address); }

std::byte poison(MemoryKind kind) {
  return kind == MemoryKind::device ? kDevicePoison : kPinnedPoison;
}

std::byte* map_pages(void* at, std::size_t bytes, int protection, int flags) {
  void* const mapping =
      ::mmap(at, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  return mapping == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapping);
}

}  // namespace

FakeMemory::~FakeMemory() {
  for (const auto& [begin, block] : live_) ::munmap(block->mapping, block->mapping_bytes);
  for (const auto& block : freed_in_use_) ::munmap(block->mapping, block->mapping_bytes);
  for (const auto& block : freed_) ::munmap(block->mapping, block->mapping_bytes);
}

std::shared_ptr<Block> FakeMemory::take(MemoryKind kind, FakeContext* context, std::size_t bytes) {
  const std::size_t fence = fences_ ? kPage : 0;
  const std::size_t inside = rounded(bytes, kPage);
  const std::size_t taken = rounded(bytes, kind == MemoryKind::device ? kDeviceAlignment : kPage);
  std::byte* const mapping =
      map_pages(nullptr, inside + 2 * fence, fences_ ? PROT_NONE : PROT_READ | PROT_WRITE, 0);
  if (mapping == nullptr) return nullptr;
  if (fences_ && ::mprotect(mapping + fence, inside, PROT_READ | PROT_WRITE) != 0) {
    ::munmap(mapping, inside + 2 * fence);
    return nullptr;
  }
  // Without fences pages stay untouched until they are used: whole programs take large blocks.
  if (fences_) std::memset(mapping + fence, std::to_integer<int>(poison(kind)), inside);
  auto block = std::make_shared<Block>();
  block->kind = kind;
  block->context = context;
  block->begin = reinterpret_cast<std::uintptr_t>(mapping + fence + (inside - taken));
  block->bytes = bytes;
  block->slack = taken - bytes;
  block->mapping = mapping;
  block->mapping_bytes = inside + 2 * fence;
  live_.emplace(block->begin, block);
  return block;
}

std::shared_ptr<Block> FakeMemory::find(std::uintptr_t address) const {
  const auto after = live_.upper_bound(address);
  if (after == live_.begin()) return nullptr;
  const std::shared_ptr<Block>& block = std::prev(after)->second;
  return block->holds(address, 1) ? block : nullptr;
}

bool FakeMemory::was_freed(std::uintptr_t address) const {
  const auto holds = [&](const std::shared_ptr<Block>& block) { return block->holds(address, 1); };
  return std::any_of(freed_.begin(), freed_.end(), holds) ||
         std::any_of(freed_in_use_.begin(), freed_in_use_.end(), holds);
}

bool FakeMemory::intact(const Block& block) const {
  if (!fences_) return true;
  const std::byte* const end = bytes_at(block.begin) + block.bytes;
  return std::all_of(end, end + block.slack,
                     [&](std::byte value) { return value == poison(block.kind); });
}

void FakeMemory::free(const std::shared_ptr<Block>& block) {
  live_.erase(block->begin);
  map_pages(block->mapping, block->mapping_bytes, PROT_NONE, MAP_FIXED);
  freed_.push_back(block);
  if (freed_.size() > kRememberedBlocks) forget_oldest();
}

void FakeMemory::free_in_use(const std::shared_ptr<Block>& block) {
  live_.erase(block->begin);
  std::memset(bytes_at(block->begin), std::to_integer<int>(kFreedPoison), block->bytes);
  freed_in_use_.push_back(block);
}

std::size_t FakeMemory::take_away(MemoryKind kind) {
  std::size_t count = 0;
  for (const auto& [begin, block] : live_) {
    if (block->kind != kind) continue;
    map_pages(block->mapping, block->mapping_bytes, PROT_NONE, MAP_FIXED);
    ++count;
  }
  return count;
}

void FakeMemory::forget_oldest() {
  ::munmap(freed_.front()->mapping, freed_.front()->mapping_bytes);
  freed_.pop_front();
}

}  // namespace hotpack::test
