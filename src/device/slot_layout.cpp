#include "device/slot_layout.hpp"

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::device {

namespace {

constexpr std::uint64_t kRegionAlignment = 4096;
constexpr std::uint64_t kTableAlignment =
    256;  // of what follows the table, as for memory of a device
constexpr std::uint64_t kMostSlotBytes = std::uint64_t{1} << 56;

Error too_large() {
  return usage_error(
      "a batch of these records has more bytes than a machine can hold; use a smaller batch");
}

}  // namespace

Result<SlotLayout> SlotLayout::make(const std::vector<PartRows>& parts, const RecordBlocks& blocks,
                                    Residency residency) {
  SlotLayout layout;
  for (const PartRows rows : parts) {
    const auto records = residency == Residency::device ? 0 : blocks.most_bytes(rows.count);
    if (rows.count > kMostSlotBytes / sizeof(RowEntry) || !records || *records > kMostSlotBytes)
      return too_large();
    Part part{rows, layout.slot_bytes_, whole_steps(rows.count * sizeof(RowEntry), kTableAlignment),
              0};
    part.staged = part.records + *records;
    layout.slot_bytes_ += whole_steps(part.staged, kRegionAlignment);
    if (layout.slot_bytes_ > kMostSlotBytes) return too_large();
    layout.parts_.push_back(part);
  }
  return layout;
}

const SlotLayout::Part& SlotLayout::part_of(std::size_t row) const {
  return *std::find_if(parts_.begin(), parts_.end(),
                       [row](const Part& part) { return row < part.rows.first + part.rows.count; });
}

std::size_t SlotLayout::rows() const {
  std::size_t rows = 0;
  for (const Part& part : parts_) rows += part.rows.count;
  return rows;
}

RowEntry SlotLayout::entry(const loader::Slot& slot, const Part& part, std::size_t row) {
  RowEntry entry;
  std::memcpy(&entry, region(slot, part) + (row - part.rows.first) * sizeof(RowEntry),
              sizeof(RowEntry));
  return entry;
}

void SlotLayout::set_entry(loader::Slot& slot, std::size_t row, const RowEntry& entry) const {
  const Part& part = part_of(row);
  std::memcpy(region(slot, part) + (row - part.rows.first) * sizeof(RowEntry), &entry,
              sizeof(RowEntry));
}

PixelSize SlotLayout::size_of_first(const loader::Slot& slot, const Part& part) {
  if (part.rows.count == 0) return {};
  const RowEntry first = entry(slot, part, part.rows.first);
  return {first.record_width, first.record_height};
}

StagedRows::StagedRows(const SlotLayout& layout, unsigned slots)
    : slots_(slots, std::vector<Span>(layout.rows())) {}

void StagedRows::begin(const loader::Slot& slot,
                       std::span<const std::optional<std::uint64_t>> samples,
                       const SlotLayout& layout, const RecordBlocks& blocks) {
  std::vector<Span>& rows = slots_[slot.number];
  for (const SlotLayout::Part& part : layout.parts()) {
    std::uint64_t at = part.records;
    for (std::size_t row = part.rows.first; row < part.rows.first + part.rows.count; ++row) {
      const bool empty = samples.empty() ? row >= slot.valid : !samples[row];
      rows[row] = {at, empty               ? 0
                       : blocks.one_size() ? blocks.largest()
                                           : blocks.bytes(*samples[row])};
      at += rows[row].bytes;
    }
  }
}

std::uint64_t StagedRows::used(const loader::Slot& slot, const SlotLayout::Part& part) const {
  if (part.rows.count == 0) return 0;
  const Span& last = row(slot, part.rows.first + part.rows.count - 1);
  return last.at + last.bytes;
}

}  // namespace hotpack::device
