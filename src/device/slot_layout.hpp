// Where each part's table and records are in a slot's pinned memory, and in the staged memory to
// which they are copied.
//
// Thread-safety: SlotLayout is an immutable value. StagedRows is used like a RowFiller: begin() by
// one thread per slot, then the other members by any thread.
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

// The layout of a slot: one region for each part of the batch. A region begins on a page, and
// contains the table of the part, padding to 256 bytes, and the records unless they are resident on
// the device. The staged memory of a part has the same layout.
class SlotLayout {
 public:
  struct Part {
    PartRows rows;
    std::uint64_t region = 0;   // beginning of the part's region in a slot
    std::uint64_t records = 0;  // offset of the records in staged memory
    std::uint64_t staged = 0;   // the most bytes of staged memory
  };
  // Fails with code `usage` if the sizes are larger than any machine can hold.
  [[nodiscard]] static Result<SlotLayout> make(const std::vector<PartRows>& parts,
                                               const RecordBlocks& blocks, Residency residency);

  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  [[nodiscard]] const Part& part(std::size_t number) const { return parts_[number]; }
  [[nodiscard]] const Part& part_of(std::size_t row) const;
  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] std::uint64_t slot_bytes() const { return slot_bytes_; }
  [[nodiscard]] static std::uint64_t table_bytes(const Part& part) {
    return part.rows.count * sizeof(RowEntry);
  }

  [[nodiscard]] static std::byte* region(const loader::Slot& slot, const Part& part) {
    return slot.image.bytes.data() + part.region;
  }
  [[nodiscard]] static RowEntry entry(const loader::Slot& slot, const Part& part, std::size_t row);
  void set_entry(loader::Slot& slot, std::size_t row, const RowEntry& entry) const;
  // Returns the size of a part's only row, for records without a common size.
  [[nodiscard]] static PixelSize size_of_first(const loader::Slot& slot, const Part& part);

 private:
  std::vector<Part> parts_;
  std::uint64_t slot_bytes_ = 0;
};

// Where the record of each batch row is in staged memory: the records follow one another. If all
// records have one size, begin() needs no samples, because the rows with a sample come first.
class StagedRows {
 public:
  struct Span {
    std::uint64_t at = 0;  // offset in the part's staged memory
    std::uint64_t bytes = 0;
  };
  StagedRows(const SlotLayout& layout, unsigned slots);

  void begin(const loader::Slot& slot, std::span<const std::optional<std::uint64_t>> samples,
             const SlotLayout& layout, const RecordBlocks& blocks);
  [[nodiscard]] const Span& row(const loader::Slot& slot, std::size_t row) const {
    return slots_[slot.number][row];
  }
  // Returns how many bytes of the part's staged memory the batch in the slot uses.
  [[nodiscard]] std::uint64_t used(const loader::Slot& slot, const SlotLayout::Part& part) const;

 private:
  std::vector<std::vector<Span>> slots_;
};

}  // namespace hotpack::device
