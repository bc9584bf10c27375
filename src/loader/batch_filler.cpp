#include "loader/batch_filler.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/no_memory.hpp"
#include "base/try.hpp"
#include "expand/processor.hpp"
#include "loader/row_reading.hpp"
#include "loader/row_samples.hpp"

namespace hotpack::loader {

namespace {

// The number of records to request ahead of their turn: enough to keep a disk busy.
constexpr std::uint64_t kRowsAhead = 32;

Status check_budget(std::uint64_t budget, const RowBytes& row) {
  const auto needed = slot_block_bytes(row.image, row.label);
  if (budget == 0 || (needed && *needed <= budget)) return {};
  return usage_error("a batch of this record needs a slot of " +
                     (needed ? std::to_string(*needed) : "too many") +
                     " bytes, but memory_budget_bytes leaves " + std::to_string(budget) +
                     " for each slot; use a larger budget, a smaller prefetch_batches or a crop");
}

// Returns how many steps a window of Shuffle::block lasts. Returns 0 for other orders, and if a
// window spans the whole epoch.
std::uint64_t window_steps(const BatchFiller::Parts& parts) {
  const std::uint64_t samples = parts.source->records();
  const auto window = checked_mul(parts.order.block_samples, parts.order.window_blocks);
  if (parts.order.shuffle != Shuffle::block || !window || *window >= samples) return 0;
  const std::uint64_t global_batch_size = parts.plan.global_batch_size();
  return (*window + global_batch_size - 1) / global_batch_size;
}

void raise(std::atomic<std::uint64_t>& largest, std::uint64_t value) {
  std::uint64_t before = largest.load(std::memory_order_relaxed);
  while (before < value &&
         !largest.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

BatchFiller::BatchFiller(Parts parts, unsigned threads)
    : parts_(std::move(parts)),
      steps_ahead_((kRowsAhead + parts_.plan.rows() - 1) / parts_.plan.rows()),
      window_steps_(window_steps(parts_)),
      scratch_(threads) {}

void BatchFiller::begin(Slot& slot) {
  const Cursor& at = slot.cursor;
  begin_rows(slot, parts_.plan, parts_.order, parts_.source->records());
  const bool follows = begun_ && (*begun_ == Cursor{at.epoch, at.step - parts_.stride} ||
                                  (at.step == 0 && begun_->epoch + 1 == at.epoch));
  slot.first_of_run = !follows;
  begun_ = at;
  if (!parts_.sink) return set_rows(slot);
  list_samples(slot, parts_.plan, told_);
  parts_.sink->begin(slot, told_);
}

// Gives image and label as many rows as the batch has. If rows differ in size, fit() does that.
void BatchFiller::set_rows(Slot& slot) const {
  const auto& output = parts_.form.output();
  if (!output) return;
  const std::size_t rows = slot.samples.size();
  const RowBytes bytes = parts_.form.row_bytes(parts_.form.record(), *output);
  const auto set = [rows](BatchField& field, std::uint64_t row_bytes) {
    if (field.shape.empty()) return;
    field.shape.front() = static_cast<std::int64_t>(rows);
    field.bytes = {field.bytes.data(), row_bytes * rows};
  };
  set(slot.image, bytes.image);
  set(slot.label, bytes.label);
}

std::optional<RowError> BatchFiller::fill(Slot& slot, RowRange rows, unsigned thread) {
  read_ahead(slot, rows);
  std::optional<RowError> failed;
  for (std::size_t row = rows.first; row < rows.last && !failed; ++row) {
    Status filled;
    try {
      filled = fill_row(slot, row, scratch_[thread]);
    } catch (const std::bad_alloc&) {
      filled = out_of_memory();
    } catch (const std::exception& thrown) {  // thrown by the caller's allocator
      filled = internal_error(std::string("reading a record threw: ") + thrown.what());
    } catch (...) {
      filled = internal_error("reading a record threw an object that is not a std::exception");
    }
    if (!filled.ok()) failed = RowError{row, std::move(filled).error()};
  }
  expand::store_fence();
  return failed;
}

// Asks the system to read records before they are needed: those of the same batch rows steps_ahead_
// steps later; the last rows of a shorter batch also cause the reads for the rows it lacks. At the
// start of a run, also those of all steps before that. With Shuffle::block, also records of a later
// window, in the order of the files, so that the disk reads long runs.
void BatchFiller::read_ahead(const Slot& slot, RowRange rows) const {
  if (rows.last == slot.samples.size()) rows.last = parts_.plan.rows();
  if (slot.first_of_run && rows.first == 0) {
    for (std::uint64_t steps = 0; steps < steps_ahead_; ++steps)
      advise(slot, steps * parts_.stride, {0, parts_.plan.rows()}, &EpochOrder::operator[]);
  }
  advise(slot, steps_ahead_ * parts_.stride, rows, &EpochOrder::operator[]);
  if (window_steps_ > 0) advise(slot, window_steps_, rows, &EpochOrder::unmixed);
}

// Asks the system to read records: those in the rows `rows` of the batch that comes `steps` steps
// after the batch of `slot`. `sample_at` gives the sample at a position.
void BatchFiller::advise(const Slot& slot, std::uint64_t steps, RowRange rows,
                         SampleAt sample_at) const {
  const std::uint64_t step = slot.cursor.step + steps;
  if (parts_.stride > 1 && step >= parts_.plan.steps()) return;  // reads ahead in one epoch only
  const std::uint64_t epoch = slot.cursor.epoch + step / parts_.plan.steps();
  if (epoch > kMaxEpoch) return;
  const EpochOrder order = epoch == slot.cursor.epoch
                               ? slot.order
                               : EpochOrder(slot.order.samples(), parts_.order, epoch);
  const Positions positions = parts_.plan.positions(step % parts_.plan.steps());
  const std::size_t last = std::min<std::uint64_t>(rows.last, positions.size());
  for (std::size_t row = rows.first; row < last; ++row) {
    const std::uint64_t position = positions.first + row;
    if (position < order.samples()) parts_.source->read_ahead((order.*sample_at)(position));
  }
}

Status BatchFiller::fill_row(Slot& slot, std::size_t row, RowScratch& scratch) {
  const auto sample = sample_of_row(slot, parts_.plan, row);
  if (!sample) return blank_row(slot, row);
  Status read = read_row(slot, row, *sample, scratch);
  if (!read.ok() && parts_.sink && parts_.sink->takes_error(*sample, read.error()))
    return blank_row(slot, row);
  return read;
}

Status BatchFiller::blank_row(Slot& slot, std::size_t row) {
  const BatchForm& form = parts_.form;
  const expand::Placement empty{{}, form.output().value_or(PixelSize{}), false};
  if (parts_.sink) {
    parts_.sink->blank(slot, row);
  } else {
    HOTPACK_ASSIGN(const RowSink::Place into, room_for(slot, row, form.record(), empty));
    form.blank(form.record(), empty.output, into.image, into.label);
  }
  set_empty_row(slot, row);
  return {};
}

// Makes room in the slot if records have no common size: the batch is then one row of this size.
Status BatchFiller::fit(Slot& slot, const RecordShape& record, PixelSize output) {
  const RowBytes bytes = parts_.form.row_bytes(record, output);
  HOTPACK_TRY(check_budget(parts_.slot_budget_bytes, bytes));
  raise(largest_.image, bytes.image);
  raise(largest_.label, bytes.label);
  HOTPACK_TRY(grow(slot, parts_.allocator, bytes.image, bytes.label));
  parts_.form.describe(record, output, 1, slot.image, slot.label);
  return {};
}

// Returns the memory to which the image and the label of batch row `row` are written.
Result<RowSink::Place> BatchFiller::room_for(Slot& slot, std::size_t row, const RecordShape& record,
                                             const expand::Placement& placement) {
  if (!parts_.form.output()) HOTPACK_TRY(fit(slot, record, placement.output));
  const RowBytes bytes = parts_.form.row_bytes(record, placement.output);
  return RowSink::Place{slot.image.bytes.data() + row * bytes.image,
                        slot.label.bytes.data() + row * bytes.label};
}

Status BatchFiller::read_row(Slot& slot, std::size_t row, std::uint64_t sample,
                             RowScratch& scratch) {
  const BatchForm& form = parts_.form;
  HOTPACK_ASSIGN(const RecordShape record, shape_of_sample(*parts_.source, form, sample));
  const PixelSize size{record.image.width, record.image.height};
  const SampleCrop box =
      draw_crop(form.augment(), size, parts_.order.seed, slot.cursor.epoch, sample);
  auto placed = form.place(record, box);
  if (!placed.ok()) return at_sample(*parts_.source, std::move(placed).error(), sample);
  const expand::Placement placement = *placed;
  RowSink* const sink = parts_.sink.get();
  if (const Error* const known = sink != nullptr ? sink->error_of(sample) : nullptr) return *known;
  auto room = sink != nullptr ? sink->place(slot, row, sample, record, placement)
                              : room_for(slot, row, record, placement);
  if (!room.ok()) return at_sample(*parts_.source, std::move(room).error(), sample);
  const RowTarget target{record, placement, room->image, room->label, sink != nullptr};
  if (room->key != nullptr) {
    slot.keys[row] = *room->key;
  } else {
    HOTPACK_TRY(read_into(*parts_.source, form, sample, target, scratch, slot.keys[row]));
  }
  slot.samples[row] = static_cast<std::int64_t>(sample);
  slot.crops[row] = box;
  return {};
}

}  // namespace hotpack::loader
