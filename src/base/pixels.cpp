#include "base/pixels.hpp"

#include <algorithm>
#include <new>

namespace hotpack {

namespace {
constexpr std::align_val_t kAlignment{64};
}

void Buffer::Free::operator()(std::byte* p) const noexcept { ::operator delete[](p, kAlignment); }

std::byte* Buffer::reserve(std::size_t size_bytes) {
  if (size_bytes > capacity_) {
    // Frees the old buffer before the new allocation, so that both never exist at once. The
    // contents are lost, which a caller must expect whenever the buffer grows.
    bytes_.reset();
    capacity_ = 0;
    bytes_.reset(static_cast<std::byte*>(::operator new[](size_bytes, kAlignment)));
    capacity_ = size_bytes;
  }
  return bytes_.get();
}

}  // namespace hotpack
