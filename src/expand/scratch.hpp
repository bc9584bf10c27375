// Memory that a thread reuses for one batch row after the other, so that it allocates nothing per
// record.
//
// For one thread. reserve() may throw std::bad_alloc; call it before work that must not fail.
// data() does not throw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hotpack::expand {

class Scratch {
 public:
  // Reserves at least `bytes` bytes, aligned to 64 bytes. The next reserve() loses their contents.
  void reserve(std::size_t bytes) {
    if (bytes + kAlign > memory_.size()) memory_.resize(bytes + kAlign);
  }
  [[nodiscard]] std::uint8_t* data() {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    return memory_.data() + (kAlign - address % kAlign) % kAlign;
  }

 private:
  static constexpr std::size_t kAlign = 64;
  std::vector<std::uint8_t> memory_;
};

}  // namespace hotpack::expand
