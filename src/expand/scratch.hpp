// Memory that a thread keeps for rows under work, so that nothing is allocated per record.
//
// Owned by one thread. reserve() may throw std::bad_alloc and comes before work that must not fail; data() cannot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hotpack::expand {

class Scratch {
 public:
  // At least `bytes` bytes, 64-byte aligned; their content is lost by the next reserve.
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
