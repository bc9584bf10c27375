// What host and device loaders derive from LoaderOptions alike.
//
// Pure functions; thread-safe. Failure: code `usage`, naming the option, with what is possible.
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

// Numbers outside their range.
[[nodiscard]] Status check_options(const LoaderOptions& options);
[[nodiscard]] OrderOptions order_of(const LoaderOptions& options);
[[nodiscard]] unsigned thread_count(const LoaderOptions& options);
// The same where batches go to so many devices; `cores` that may be used.
[[nodiscard]] unsigned device_thread_count(const LoaderOptions& options, std::size_t devices, unsigned cores);
// Rows that a thread takes at once.
[[nodiscard]] std::size_t rows_per_item(const RowBytes& row, std::size_t rows, unsigned threads);

// The state of a run with these options at its first step.
[[nodiscard]] LoaderState first_state(const RecordSource& source, const LoaderOptions& options);
// Where `state` stands in a run like `own`; refused where it is none of that run.
[[nodiscard]] Result<Cursor> cursor_of(const LoaderState& state, const LoaderState& own, std::uint64_t steps);
// Where these options begin: at their epoch, or where `resume` stands.
[[nodiscard]] Result<Cursor> first_cursor(const LoaderOptions& options, const LoaderState& own, std::uint64_t steps);
[[nodiscard]] Status check_seek(std::uint64_t epoch, std::uint64_t step, std::uint64_t steps);

}  // namespace hotpack::loader
