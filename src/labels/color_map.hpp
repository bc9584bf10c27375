// Maps 24-bit colors to class ids with a small hash table (open addressing). Only src/labels uses
// this.
//
// Built once, then read by any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hotpack/schema.hpp"
#include "labels/entry.hpp"
#include "labels/packed_color.hpp"

namespace hotpack::labels {

class ColorMap {
 public:
  // Makes a table for `count` colors, at least eight times as large, so that nearly every look-up
  // finds its color at the first slot.
  explicit ColorMap(std::size_t count = 0) {
    while ((std::size_t{1} << (32 - shift_)) < 8 * count) --shift_;
    slots_.resize(std::size_t{1} << (32 - shift_));
  }

  // Add each color only once.
  void add(RgbColor color, std::uint16_t id) {
    const std::uint32_t key = packed_color(color);
    std::size_t at = slot_of(key);
    while (slots_[at].key != kNoColor) at = next(at);
    slots_[at] = {key, id};
  }

  // Returns the id of a color (`key` is 0xRRGGBB), or kUnknown.
  [[nodiscard]] Entry find(std::uint32_t key) const {
    std::size_t at = slot_of(key);
    while (slots_[at].key != key) {
      if (slots_[at].key == kNoColor) return kUnknown;
      at = next(at);
    }
    return slots_[at].id;
  }

 private:
  static constexpr std::uint32_t kNoColor = 0xFFFFFFFF;
  struct Slot {
    std::uint32_t key = kNoColor;
    Entry id = kUnknown;
  };

  // Returns the slot at which the search for a color begins. Multiplying by bits of the golden
  // ratio spreads colors that differ in only one channel.
  [[nodiscard]] std::size_t slot_of(std::uint32_t key) const {
    return (key * 0x9E3779B1u) >> shift_;
  }
  [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }

  int shift_ = 28;  // 2^(32 − shift) slots
  std::vector<Slot> slots_;
};

}  // namespace hotpack::labels
