// Functions that all code that fills slots shares: which samples are in a batch's rows, the shape
// of a sample's record, and errors that name a sample.
//
// Free functions; thread-safe, except for the Slot that they change. Failure: as RecordSource's.
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

// Advances slot.order to the epoch of slot.cursor, and sets slot.valid and the number of rows:
// samples, keys and crops get one element per row. Uses no files, and allocates nothing if the slot
// has had plan.rows() rows before.
void begin_rows(Slot& slot, const StepPlan& plan, const OrderOptions& order, std::uint64_t records);
// Returns the number of the sample in a row, or nothing for an empty row. Precondition (also of the
// functions below): begin_rows() was called for this batch.
[[nodiscard]] std::optional<std::uint64_t> sample_of_row(const Slot& slot, const StepPlan& plan,
                                                         std::size_t row);
// The samples of all rows; replaces the contents of `samples`.
void list_samples(const Slot& slot, const StepPlan& plan,
                  std::vector<std::optional<std::uint64_t>>& samples);

// Marks a row of the slot as one without a sample.
void set_empty_row(Slot& slot, std::size_t row);

// "sample 3: …", with the file and the record.
[[nodiscard]] Error at_sample(const RecordSource& source, Error error, std::uint64_t sample);
// The error for a sample whose shard was replaced after its shape was read.
[[nodiscard]] Error written_over(const RecordSource& source, std::uint64_t sample);
// Returns the shape of a sample's record. If all records have the same shape, it comes from `form`,
// otherwise from the shard.
[[nodiscard]] Result<RecordShape> shape_of_sample(const RecordSource& source, const BatchForm& form,
                                                  std::uint64_t sample);

}  // namespace hotpack::loader
