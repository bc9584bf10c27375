// Images and buffers of the program at the limit (limit.cpp).
//
// Ownership: Image is a view; Room owns its bytes and only grows. Not thread-safe.
// Failure: std::bad_alloc.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace limit {

// The loops of this program may read and write so many bytes beyond the end of what they process.
inline constexpr std::size_t kSlack = 128;

// 8-bit samples, interleaved; rows are row_bytes apart.
struct Image {
  std::uint8_t* data = nullptr;
  int width = 0, height = 0, channels = 0;
  std::size_t row_bytes = 0;

  [[nodiscard]] std::uint8_t* row(int y) const {
    return data + static_cast<std::size_t>(y) * row_bytes;
  }
  [[nodiscard]] std::size_t row_samples() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
  }
};

// Memory with kSlack bytes before and after.
class Room {
 public:
  std::uint8_t* reserve(std::size_t size) {
    if (size > size_) {
      // Large pages save most of the page faults of a large room.
      const std::size_t page = size < 4 * kLargePage ? 64 : kLargePage;
      const std::size_t all = (size + 2 * kSlack + page - 1) / page * page;
      bytes_.reset(static_cast<std::uint8_t*>(std::aligned_alloc(page, all)));
      if (!bytes_) throw std::bad_alloc();
      if (page == kLargePage) ::madvise(bytes_.get(), all, MADV_HUGEPAGE);
      size_ = size;
    }
    return bytes_.get() + kSlack;
  }
  template <class T>
  T* reserve_as(std::size_t count) {
    return reinterpret_cast<T*>(reserve(count * sizeof(T)));
  }

 private:
  static constexpr std::size_t kLargePage = std::size_t{1} << 21;
  struct Free {
    void operator()(std::uint8_t* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::uint8_t, Free> bytes_;
  std::size_t size_ = 0;
};

// An image in a room, with slack between rows.
inline Image image_in(Room& room, int width, int height, int channels) {
  Image image{nullptr, width, height, channels, 0};
  image.row_bytes = (image.row_samples() + kSlack + 63) / 64 * 64;
  image.data = room.reserve(image.row_bytes * static_cast<std::size_t>(height));
  return image;
}

}  // namespace limit
