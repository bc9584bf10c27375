#include "device/resident_cargo.hpp"

#include <cstring>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "expand/processor.hpp"
#include "loader/row_samples.hpp"

namespace hotpack::device {

using loader::RowError;
using loader::RowRange;
using loader::Slot;

namespace {

constexpr std::uint64_t kStreamedBytes = std::uint64_t{64} << 10;  // larger copies bypass the cache

// Appends a piece. If it continues the last piece without a gap, makes that one longer instead.
void append_record(std::vector<Piece>& pieces, std::size_t first, const Piece& record) {
  Piece* const last = pieces.size() > first ? &pieces.back() : nullptr;
  if (last != nullptr && last->from + last->bytes == record.from &&
      last->to + last->bytes == record.to) {
    last->bytes += record.bytes;
  } else {
    pieces.push_back(record);
  }
}

}  // namespace

ResidentCargo::ResidentCargo(SlotLayout layout, std::optional<PixelSize> output,
                             std::shared_ptr<const ResidentSet> set)
    : LaidOutCargo(std::move(layout), output), set_(std::move(set)) {}

void ResidentCargo::append_table(const Slot& slot, const SlotLayout::Part& part,
                                 std::vector<Piece>& pieces) const {
  const std::uint64_t bytes = SlotLayout::table_bytes(part);
  if (bytes > 0) pieces.push_back({SlotLayout::region(slot, part), 0, bytes});
}

StagedCargo::StagedCargo(SlotLayout layout, std::optional<PixelSize> output,
                         std::shared_ptr<const ResidentSet> set, unsigned slots)
    : ResidentCargo(std::move(layout), output, std::move(set)), staged_(this->layout(), slots) {}

void PinnedCargo::append_pieces(const Slot& slot, std::size_t part,
                                std::vector<Piece>& pieces) const {
  const SlotLayout::Part& mine = layout().part(part);
  append_table(slot, mine, pieces);
  const std::size_t first = pieces.size();  // records are never joined with the table
  for (std::size_t row = mine.rows.first; row < mine.rows.first + mine.rows.count; ++row) {
    if (slot.samples[row] < 0) continue;
    const StagedRows::Span span = staged().row(slot, row);
    append_record(pieces, first,
                  {record(static_cast<std::uint64_t>(slot.samples[row])), span.at, span.bytes});
  }
}

Pointer StagedCargo::records(std::size_t, Pointer staged) const { return staged; }

void StagedCargo::begin(const Slot& slot, std::span<const std::optional<std::uint64_t>> samples) {
  staged_.begin(slot, samples, layout(), *set().blocks);
}

std::uint64_t StagedCargo::place(const Slot& slot, std::size_t row, std::uint64_t) const {
  return staged_.row(slot, row).at;
}

const std::byte* StagedCargo::record(std::uint64_t sample) const {
  return set().pinned.data() + set().blocks->begin(sample);
}

void GatheredCargo::append_pieces(const Slot& slot, std::size_t part,
                                  std::vector<Piece>& pieces) const {
  const SlotLayout::Part& mine = layout().part(part);
  if (const std::uint64_t bytes = staged().used(slot, mine); bytes > 0)
    pieces.push_back({SlotLayout::region(slot, mine), 0, bytes});
}

void GatheredCargo::write(Slot& slot, std::size_t row, std::uint64_t sample) const {
  const StagedRows::Span span = staged().row(slot, row);
  std::byte* const to = SlotLayout::region(slot, layout().part_of(row)) + span.at;
  if (span.bytes >= kStreamedBytes) {
    expand::stream_copy(to, record(sample), span.bytes);
  } else {
    std::memcpy(to, record(sample), span.bytes);
  }
}

void DeviceCargo::append_pieces(const Slot& slot, std::size_t part,
                                std::vector<Piece>& pieces) const {
  append_table(slot, layout().part(part), pieces);
}

Pointer DeviceCargo::records(std::size_t part, Pointer) const {
  return set().devices[part].address();
}

void DeviceCargo::begin(const Slot&, std::span<const std::optional<std::uint64_t>>) {}

std::uint64_t DeviceCargo::place(const Slot&, std::size_t, std::uint64_t sample) const {
  return set().blocks->begin(sample);
}

ResidentFiller::ResidentFiller(Parts parts) : parts_(std::move(parts)) {}

void ResidentFiller::begin(Slot& slot) {
  loader::begin_rows(slot, parts_.plan, parts_.order, parts_.cargo->set().blocks->records());
  if (parts_.cargo->needs_samples()) loader::list_samples(slot, parts_.plan, samples_);
  parts_.cargo->begin(slot, samples_);
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
  expand::store_fence();
  return std::nullopt;
}

Status ResidentFiller::fill_row(Slot& slot, std::size_t row) {
  if (const auto sample = loader::sample_of_row(slot, parts_.plan, row))
    return show_sample(slot, row, *sample);
  parts_.cargo->layout().set_entry(slot, row, {});
  loader::set_empty_row(slot, row);
  return {};
}

// Fills the batch row of a sample: its table entry and description, and its record if slots contain
// records. Checks shape, crop and record in this order, as a BatchFiller does, so that the error is
// the same.
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
  parts_.cargo->layout().set_entry(
      slot, row, entry_of(*shape, *placed, parts_.cargo->place(slot, row, sample)));
  parts_.cargo->write(slot, row, sample);
  slot.samples[row] = static_cast<std::int64_t>(sample);
  slot.keys[row].assign(set.keys[sample]);
  slot.crops[row] = box;
  return {};
}

}  // namespace hotpack::device
