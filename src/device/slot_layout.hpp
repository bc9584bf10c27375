// Where the rows of each part lie: their table and records in a slot's pinned memory, and in the staged memory that they are copied to.
//
// Thread-safety: SlotLayout is a value, fixed once made. StagedRows as RowFiller: one begin() of a slot at a time, then other members from
// any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "device/cargo.hpp"
#include "device/record_blocks.hpp"
#include "device/row_entry.hpp"

namespace hotpack::device {

// How records come to a device.
enum class RecordWay {
  in_slots,    // behind the table of their batch
  one_by_one,  // from pinned memory, where they stay, to staged memory
  none,        // they are there
};
// That of a residency; pinned records below so many bytes are gathered (kGatherBelowBytes).
[[nodiscard]] RecordWay way_of(Residency residency, const RecordBlocks& blocks, std::uint64_t gather_below_bytes);

// A part's region of a slot begins on a page. It has the table, padding to 256 bytes, then the records, where they are in slots. Staged
// memory looks the same, and has the records unless they are on the device.
class SlotLayout {
 public:
  struct Part {
    PartRows rows;
    std::uint64_t region = 0;   // of a slot: where it begins
    std::uint64_t records = 0;  // from the beginning of staged memory: where the records begin
    std::uint64_t staged = 0;   // bytes of staged memory, at most
  };
  // Code `usage` for sizes that no machine can hold.
  [[nodiscard]] static Result<SlotLayout> make(const std::vector<PartRows>& parts, const RecordBlocks& blocks, RecordWay way);

  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  [[nodiscard]] const Part& part(std::size_t number) const { return parts_[number]; }
  [[nodiscard]] const Part& part_of(std::size_t row) const;
  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] std::uint64_t slot_bytes() const { return slot_bytes_; }
  [[nodiscard]] static std::uint64_t table_bytes(const Part& part) { return part.rows.count * sizeof(RowEntry); }

  [[nodiscard]] static std::byte* region(const loader::Slot& slot, const Part& part) { return slot.image.bytes.data() + part.region; }
  [[nodiscard]] static RowEntry entry(const loader::Slot& slot, const Part& part, std::size_t row);
  void set_entry(loader::Slot& slot, std::size_t row, const RowEntry& entry) const;
  // Of a part's only row, where records have no common size.
  [[nodiscard]] static PixelSize size_of_first(const loader::Slot& slot, const Part& part);

 private:
  std::vector<Part> parts_;
  std::uint64_t slot_bytes_ = 0;
};

// Where the record of every row of every slot lies in staged memory: one after the other. Where all have one size begin() needs no samples:
// rows that hold one are the first ones.
class StagedRows {
 public:
  struct Span {
    std::uint64_t at = 0;  // from the beginning of the part's staged memory
    std::uint64_t bytes = 0;
  };
  StagedRows(const SlotLayout& layout, unsigned slots);

  void begin(const loader::Slot& slot, std::span<const std::optional<std::uint64_t>> samples, const SlotLayout& layout,
             const RecordBlocks& blocks);
  [[nodiscard]] const Span& row(const loader::Slot& slot, std::size_t row) const { return slots_[slot.number][row]; }
  // Bytes of the part's staged memory that this batch uses.
  [[nodiscard]] std::uint64_t used(const loader::Slot& slot, const SlotLayout::Part& part) const;

 private:
  std::vector<std::vector<Span>> slots_;
};

}  // namespace hotpack::device
