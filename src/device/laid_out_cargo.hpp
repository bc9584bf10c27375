// The common base of all classes derived from Cargo (cargo.hpp). It uses a SlotLayout to compute
// the sizes of slots and of staged memory.
//
// Ownership and thread-safety as Cargo.
#pragma once

#include <optional>
#include <utility>

#include "device/cargo.hpp"
#include "device/slot_layout.hpp"

namespace hotpack::device {

class LaidOutCargo : public Cargo {
 public:
  // `output` is the size of every row; empty if rows differ.
  LaidOutCargo(SlotLayout layout, std::optional<PixelSize> output)
      : layout_(std::move(layout)), output_(output) {}

  [[nodiscard]] std::uint64_t slot_bytes() const final { return layout_.slot_bytes(); }
  [[nodiscard]] std::uint64_t staged_bytes(std::size_t part) const final {
    return layout_.part(part).staged;
  }
  [[nodiscard]] PixelSize output(const loader::Slot& slot, std::size_t part) const final {
    return output_ ? *output_ : SlotLayout::size_of_first(slot, layout_.part(part));
  }

  [[nodiscard]] const SlotLayout& layout() const { return layout_; }

 private:
  const SlotLayout layout_;
  const std::optional<PixelSize> output_;
};

}  // namespace hotpack::device
