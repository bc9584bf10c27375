#include "loader/slot.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::loader {

namespace {

constexpr std::uint64_t kPage = 4096;

class PageAllocator final : public SlotAllocator {
 public:
  Result<std::byte*> allocate(std::size_t bytes) override {
    void* const memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return io_error(
          "there is not enough memory for a batch of " + std::to_string(bytes) + " bytes", {},
          errno);
    ::madvise(memory, bytes, MADV_HUGEPAGE);  // a request; ordinary pages work too
    return static_cast<std::byte*>(memory);
  }
  void release(std::byte* memory, std::size_t bytes) noexcept override { ::munmap(memory, bytes); }
};

std::uint64_t whole_pages(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

SlotMemory::~SlotMemory() {
  if (data_ != nullptr) allocator_->release(data_, size_);
}

SlotMemory::SlotMemory(SlotMemory&& other) noexcept
    : allocator_(std::move(other.allocator_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

SlotMemory& SlotMemory::operator=(SlotMemory&& other) noexcept {
  std::swap(allocator_, other.allocator_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Result<SlotMemory> SlotMemory::take(std::shared_ptr<SlotAllocator> allocator, std::size_t bytes) {
  SlotMemory memory;
  if (bytes == 0) return memory;
  HOTPACK_ASSIGN(memory.data_, allocator->allocate(bytes));
  memory.size_ = bytes;
  memory.allocator_ = std::move(allocator);
  return memory;
}

std::shared_ptr<SlotAllocator> page_allocator() { return std::make_shared<PageAllocator>(); }

std::optional<std::uint64_t> slot_block_bytes(std::uint64_t image_bytes,
                                              std::uint64_t label_bytes) {
  const auto sum = checked_add(image_bytes, label_bytes);
  return sum ? checked_add(*sum, 2 * kPage) : std::nullopt;
}

Status grow(Slot& slot, const std::shared_ptr<SlotAllocator>& allocator, std::uint64_t image_bytes,
            std::uint64_t label_bytes) {
  const std::uint64_t label_begin = whole_pages(image_bytes);
  const std::uint64_t needed = label_begin + label_bytes;
  if (needed > slot.memory.size()) {
    slot.memory = SlotMemory();  // before the larger block, so that both never exist at once
    HOTPACK_ASSIGN(slot.memory, SlotMemory::take(allocator, needed));
  }
  slot.image.bytes = {slot.memory.data(), image_bytes};
  slot.label.bytes = {slot.memory.data() + label_begin, label_bytes};
  return {};
}

}  // namespace hotpack::loader
