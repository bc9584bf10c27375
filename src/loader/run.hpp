// What host and device loaders both determine from LoaderOptions.
//
// Pure functions; thread-safe. Failure: code `usage` with the option's name and the accepted
// values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hotpack/loader.hpp"
#include "hotpack/order.hpp"
#include "hotpack/result.hpp"
#include "loader/batch_form.hpp"
#include "loader/record_source.hpp"
#include "loader/slot.hpp"

namespace hotpack::loader {

// Refuses numbers outside their range.
[[nodiscard]] Status check_options(const LoaderOptions& options);
[[nodiscard]] OrderOptions order_of(const LoaderOptions& options);
[[nodiscard]] unsigned thread_count(const LoaderOptions& options);
// The number of batch rows that a thread takes at once.
[[nodiscard]] std::size_t rows_per_item(const RowBytes& row, std::size_t rows, unsigned threads);

// The steps of a run over `records` samples with the batch size of the options.
[[nodiscard]] Result<StepPlan> plan_of(std::uint64_t records, const LoaderOptions& options);
// The state of a run with these options and steps at its first step.
[[nodiscard]] LoaderState first_state(const RecordSource& source, const LoaderOptions& options,
                                      const StepPlan& plan);
// Returns the step at which a run continues from `state`. `own` is the first state of that run, and
// `steps` its number of steps per epoch. Fails if the state is that of another run.
[[nodiscard]] Result<Cursor> cursor_of(const LoaderState& state, const LoaderState& own,
                                       std::uint64_t steps);
// The first step of a run with these options: that of `resume`, otherwise the start of `epoch`.
[[nodiscard]] Result<Cursor> first_cursor(const LoaderOptions& options, const LoaderState& own,
                                          std::uint64_t steps);
[[nodiscard]] Status check_seek(std::uint64_t epoch, std::uint64_t step, std::uint64_t steps);

}  // namespace hotpack::loader
