// Views of pixels in memory, and a buffer for them. Codecs, geometry, labels and pack exchange
// these.
//
// Ownership: views own nothing; Buffer owns its bytes and keeps them when it shrinks. Not
// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

namespace hotpack {

// Rows of interleaved samples, top row first. `row_bytes` is the distance between rows.
template <class T>
struct PixelView {
  T* data = nullptr;
  int width = 0;     // pixels
  int height = 0;    // rows
  int channels = 1;  // samples per pixel
  std::size_t row_bytes = 0;

  [[nodiscard]] T* row(int y) const {
    using Byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
    return reinterpret_cast<T*>(reinterpret_cast<Byte*>(data) +
                                static_cast<std::size_t>(y) * row_bytes);
  }
  [[nodiscard]] bool packed() const {
    return row_bytes ==
           static_cast<std::size_t>(width) * static_cast<std::size_t>(channels) * sizeof(T);
  }
  operator PixelView<const T>() const { return {data, width, height, channels, row_bytes}; }
};

struct PixelPlace {
  int x = 0, y = 0;
};

using ConstPixels = PixelView<const std::uint8_t>;
using MutablePixels = PixelView<std::uint8_t>;
using ConstIds = PixelView<const std::uint16_t>;
using MutableIds = PixelView<std::uint16_t>;

// A buffer, aligned to 64 bytes, that grows when needed and never shrinks. Its contents are
// undefined after it has grown. Callers reuse it from sample to sample.
class Buffer {
 public:
  // At least `size_bytes` writable bytes. Throws std::bad_alloc.
  std::byte* reserve(std::size_t size_bytes);
  template <class T>
  T* reserve_as(std::size_t count) {
    return reinterpret_cast<T*>(reserve(count * sizeof(T)));
  }
  [[nodiscard]] std::byte* data() { return bytes_.get(); }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  struct Free {
    void operator()(std::byte* p) const noexcept;
  };
  std::unique_ptr<std::byte, Free> bytes_;
  std::size_t capacity_ = 0;
};

}  // namespace hotpack
