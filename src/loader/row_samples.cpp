#include "loader/row_samples.hpp"

#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::loader {

namespace {

// Empty rows are the last ones of an epoch.
std::size_t valid_rows(const Slot& slot, const StepPlan& plan) {
  const Positions rows = plan.positions(slot.cursor.step);
  std::uint64_t last = rows.last;
  while (last > rows.first && !plan.sample(slot.order, last - 1)) --last;
  return last - rows.first;
}

}  // namespace

void begin_rows(Slot& slot, const StepPlan& plan, const OrderOptions& order,
                std::uint64_t records) {
  const std::uint64_t epoch = slot.cursor.epoch;
  if (!slot.order_epoch || *slot.order_epoch != epoch) {
    slot.order = EpochOrder(records, order, epoch);
    slot.order_epoch = epoch;
  }
  const std::size_t rows = plan.positions(slot.cursor.step).size();
  slot.samples.resize(rows);
  slot.keys.resize(rows);
  slot.crops.resize(rows);
  slot.valid = valid_rows(slot, plan);
}

std::optional<std::uint64_t> sample_of_row(const Slot& slot, const StepPlan& plan,
                                           std::size_t row) {
  return plan.sample(slot.order, plan.positions(slot.cursor.step).first + row);
}

void list_samples(const Slot& slot, const StepPlan& plan,
                  std::vector<std::optional<std::uint64_t>>& samples) {
  const Positions rows = plan.positions(slot.cursor.step);
  samples.clear();
  for (std::uint64_t position = rows.first; position < rows.last; ++position)
    samples.push_back(plan.sample(slot.order, position));
}

void set_empty_row(Slot& slot, std::size_t row) {
  slot.samples[row] = -1;
  slot.keys[row].clear();
  slot.crops[row] = {};
}

Error at_sample(const RecordSource& source, Error error, std::uint64_t sample) {
  error.message = "sample " + std::to_string(sample) + ": " + error.message;
  return source.at_record(std::move(error), sample);
}

Error written_over(const RecordSource& source, std::uint64_t sample) {
  Error error = damaged_error(
      "its shard was overwritten while it was in use; write packs to new folders, and open the "
      "loader again");
  return at_sample(source, std::move(error), sample);
}

Result<RecordShape> shape_of_sample(const RecordSource& source, const BatchForm& form,
                                    std::uint64_t sample) {
  if (form.one_size()) return form.record();
  HOTPACK_ASSIGN(const RecordShape record, source.shape(sample));
  const LabelShape& label = record.label;
  const bool alike = label.class_count == 0 || label.scope == LabelScope::image ||
                     (label.width == record.image.width && label.height == record.image.height);
  if (alike) return record;
  return at_sample(source, damaged_error("its image and its label have different sizes"), sample);
}

}  // namespace hotpack::loader
