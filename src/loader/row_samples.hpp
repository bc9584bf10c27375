// What fillers of slots have in common, whatever they fill them with: the samples of a batch's rows, the shape of a sample's record, and
// errors that name a sample.
//
// Free functions; thread-safe, but for the Slot that is written to. Failure: as RecordSource's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "hotpack/order.hpp"
#include "hotpack/result.hpp"
#include "loader/batch_form.hpp"
#include "loader/record_source.hpp"
#include "loader/slot.hpp"

namespace hotpack::loader {

// Brings slot.order to the epoch of slot.cursor and sets slot.valid. No files.
void begin_rows(Slot& slot, const StepPlan& plan, const OrderOptions& order, std::uint64_t records);
// The sample of a row; nothing for an empty one. Precondition, here and below: begin_rows() was called for this batch.
[[nodiscard]] std::optional<std::uint64_t> sample_of_row(const Slot& slot, const StepPlan& plan, std::size_t row);
// Those of all rows, in place of what `samples` held.
void list_samples(const Slot& slot, const StepPlan& plan, std::vector<std::optional<std::uint64_t>>& samples);

// The row holds no sample: what the slot says about it.
void set_empty_row(Slot& slot, std::size_t row);

// "sample 3: …", and which record of which file that is.
[[nodiscard]] Error at_sample(const RecordSource& source, Error error, std::uint64_t sample);
// The sample's shard is no longer the one that its shape was read from.
[[nodiscard]] Error written_over(const RecordSource& source, std::uint64_t sample);
// Of one record: the form's, or where records differ what the shard says.
[[nodiscard]] Result<RecordShape> shape_of_sample(const RecordSource& source, const BatchForm& form, std::uint64_t sample);

}  // namespace hotpack::loader
