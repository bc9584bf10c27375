// Memory between protected pages: a read or write before its beginning or past its end crashes in
// every build.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>

namespace hotpack::test {

enum class Against { low_fence, high_fence };  // the exact end; the other side has whole pages only

class FencedMemory {
 public:
  FencedMemory(std::size_t bytes, Against side)
      : bytes_(bytes), page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    const std::size_t inside = (bytes + page_ - 1) / page_ * page_;
    whole_ = inside + 2 * page_;
    void* const memory = ::mmap(nullptr, whole_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<std::byte*>(memory);
    if (inside > 0 && ::mprotect(begin_ + page_, inside, PROT_READ | PROT_WRITE) != 0)
      throw std::bad_alloc();
    data_ = begin_ + page_ + (side == Against::high_fence ? inside - bytes : 0);
  }
  FencedMemory(std::span<const std::uint8_t> content, Against side)
      : FencedMemory(content.size(), side) {
    if (!content.empty()) std::memcpy(data_, content.data(), content.size());
  }
  ~FencedMemory() { ::munmap(begin_, whole_); }
  FencedMemory(const FencedMemory&) = delete;
  FencedMemory& operator=(const FencedMemory&) = delete;

  [[nodiscard]] std::byte* data() { return data_; }
  [[nodiscard]] std::span<const std::uint8_t> bytes() const {
    return {reinterpret_cast<const std::uint8_t*>(data_), bytes_};
  }

 private:
  std::size_t bytes_;
  std::size_t page_;
  std::size_t whole_ = 0;
  std::byte* begin_ = nullptr;
  std::byte* data_ = nullptr;
};

}  // namespace hotpack::test
