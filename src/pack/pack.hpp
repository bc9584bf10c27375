// `pack`: from options to finished data sets, one or one per split, or to a report of what is wrong.
//
// One call a run; the caller limits threads (tbb::global_control is set inside from RunOptions::threads). Errors come back as Error;
// refused data as a PackRun with problems. Nothing half-written is left, whatever happens.
#pragma once

#include "hotpack/result.hpp"
#include "pack/pack_report.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// With `dry_run` nothing is written.
[[nodiscard]] Result<PackRun> pack(const PackOptions& options, bool dry_run, Observer& observer);

}  // namespace hotpack::pipeline
