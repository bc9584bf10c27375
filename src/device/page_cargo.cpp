#include "device/page_cargo.hpp"

#include <utility>

#include "base/error.hpp"

namespace hotpack::device {

PageCargo::PageCargo(SlotLayout layout, std::optional<PixelSize> output,
                     std::shared_ptr<const RecordBlocks> blocks, unsigned slots)
    : LaidOutCargo(std::move(layout), output),
      blocks_(std::move(blocks)),
      staged_(this->layout(), slots) {}

void PageCargo::append_pieces(const loader::Slot& slot, std::size_t part,
                              std::vector<Piece>& pieces) const {
  const SlotLayout::Part& mine = layout().part(part);
  if (const std::uint64_t bytes = staged_.used(slot, mine); bytes > 0)
    pieces.push_back({SlotLayout::region(slot, mine), 0, bytes});
}

Pointer PageCargo::records(std::size_t, Pointer staged) const { return staged; }

void PageCargo::begin(loader::Slot& slot, std::span<const std::optional<std::uint64_t>> samples) {
  staged_.begin(slot, samples, layout(), *blocks_);
}

// Returns where the record of a batch row goes in the slot. The size of this place was computed
// when the loader was opened; fails if the record has another size now.
Result<PageCargo::Place> PageCargo::place(loader::Slot& slot, std::size_t row,
                                          const loader::RecordShape& record,
                                          const expand::Placement& placement) {
  const StagedRows::Span room = staged_.row(slot, row);
  const RecordBlock block = block_of(record);
  if (block.bytes != room.bytes) return changed_since_opening();
  layout().set_entry(slot, row, entry_of(record, placement, room.at));
  std::byte* const image = SlotLayout::region(slot, layout().part_of(row)) + room.at;
  return Place{image, block.label == 0 ? nullptr : image + block.label};
}

void PageCargo::blank(loader::Slot& slot, std::size_t row) { layout().set_entry(slot, row, {}); }

}  // namespace hotpack::device
