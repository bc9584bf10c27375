// Counts values that come in runs, in a small hash table that grows with the number of different
// values, up to a limit.
//
// Memory: 16 bytes per slot; 64 slots, or less than eight per value. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hotpack::pipeline {

class ValueCounter {
 public:
  struct Entry {
    std::uint32_t value = 0;
    std::uint64_t count = 0;
  };

  // After `most` different values, further ones are not counted.
  explicit ValueCounter(std::size_t most) : most_(most), slots_(64) {}

  void add(std::uint32_t value, std::uint64_t count) {
    std::size_t at = slot_of(value);
    while (slots_[at].count != 0 && slots_[at].value != value) at = (at + 1) & (slots_.size() - 1);
    if (slots_[at].count == 0) {
      if (kinds_ == most_) return;
      if (2 * ++kinds_ > slots_.size()) return grow({value, count});
      slots_[at].value = value;
    }
    slots_[at].count += count;
  }

  [[nodiscard]] std::size_t kinds() const { return kinds_; }
  [[nodiscard]] bool full() const { return kinds_ == most_; }

  // Returns all values with their counts, ascending by value.
  [[nodiscard]] std::vector<Entry> entries() const {
    std::vector<Entry> all;
    all.reserve(kinds_);
    for (const Entry& slot : slots_)
      if (slot.count != 0) all.push_back(slot);
    std::sort(all.begin(), all.end(),
              [](const Entry& a, const Entry& b) { return a.value < b.value; });
    return all;
  }

 private:
  // Multiplying by the bits of the golden ratio spreads neighboring values over the table.
  [[nodiscard]] std::size_t slot_of(std::uint32_t value) const {
    return ((value * 0x9E3779B1u) >> 8) & (slots_.size() - 1);
  }

  void put(const Entry& entry) {
    std::size_t at = slot_of(entry.value);
    while (slots_[at].count != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = entry;
  }

  void grow(const Entry& added) {
    const std::vector<Entry> before = std::exchange(slots_, std::vector<Entry>(4 * slots_.size()));
    for (const Entry& slot : before)
      if (slot.count != 0) put(slot);
    put(added);
  }

  std::size_t most_;
  std::size_t kinds_ = 0;
  std::vector<Entry> slots_;  // a power of two, at most half full
};

}  // namespace hotpack::pipeline
