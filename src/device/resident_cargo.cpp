#include "device/resident_cargo.hpp"

#include <new>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "loader/row_samples.hpp"

namespace hotpack::device {

using loader::RowError;
using loader::RowRange;
using loader::Slot;

ResidentCargo::ResidentCargo(SlotLayout layout, std::optional<PixelSize> output,
                             std::shared_ptr<const ResidentSet> set)
    : LaidOutCargo(std::move(layout), output), set_(std::move(set)) {}

void ResidentCargo::append_pieces(const Slot& slot, std::size_t part,
                                  std::vector<Piece>& pieces) const {
  const SlotLayout::Part& mine = layout().part(part);
  const std::uint64_t bytes = SlotLayout::table_bytes(mine);
  if (bytes > 0) pieces.push_back({SlotLayout::region(slot, mine), 0, bytes});
}

Pointer ResidentCargo::records(std::size_t part, Pointer) const {
  return set_->devices[part].address();
}

ResidentFiller::ResidentFiller(Parts parts) : parts_(std::move(parts)) {}

void ResidentFiller::begin(Slot& slot) {
  loader::begin_rows(slot, parts_.plan, parts_.order, parts_.cargo->set().blocks->records());
}

std::optional<RowError> ResidentFiller::fill(Slot& slot, RowRange rows, unsigned) {
  for (std::size_t row = rows.first; row < rows.last; ++row) {
    Status filled;
    try {
      filled = fill_row(slot, row);
    } catch (const std::bad_alloc&) {
      filled = Error{ErrorCode::io, "there is no memory for a batch", {}, {}};
    }
    if (!filled.ok()) return RowError{row, std::move(filled).error()};
  }
  return std::nullopt;
}

Status ResidentFiller::fill_row(Slot& slot, std::size_t row) {
  if (const auto sample = loader::sample_of_row(slot, parts_.plan, row))
    return show_sample(slot, row, *sample);
  parts_.cargo->layout().set_entry(slot, row, {});
  loader::set_empty_row(slot, row);
  return {};
}

// Fills the batch row of a sample: its table entry and description. Checks shape, crop and record
// in this order, as a BatchFiller does, so that the error is the same.
Status ResidentFiller::show_sample(Slot& slot, std::size_t row, std::uint64_t sample) {
  const ResidentSet& set = parts_.cargo->set();
  const auto failed = set.errors.find(sample);
  const auto shape = set.blocks->shape(sample);
  if (!shape) return failed->second;
  const PixelSize size{shape->image.width, shape->image.height};
  const SampleCrop box =
      draw_crop(parts_.form.augment(), size, parts_.order.seed, slot.cursor.epoch, sample);
  auto placed = parts_.form.place(*shape, box);
  if (!placed.ok()) return loader::at_sample(*parts_.source, std::move(placed).error(), sample);
  if (failed != set.errors.end()) return failed->second;
  parts_.cargo->layout().set_entry(slot, row, entry_of(*shape, *placed, set.blocks->begin(sample)));
  slot.samples[row] = static_cast<std::int64_t>(sample);
  slot.keys[row].assign(set.keys[sample]);
  slot.crops[row] = box;
  return {};
}

}  // namespace hotpack::device
