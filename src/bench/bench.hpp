// Measures this machine with one data set: each rate of the Loader next to that of a plain loop
// over the same records.
//
// Ownership: plain values. Thread-safety: one run at a time, because runs disturb each other. A run
// takes about options.seconds per row of the report. Failure: as Dataset and Loader, including
// `damaged` with the name of the record; `usage` for an empty data set; `cancelled` if
// options.progress returns false; `io` if the system refuses memory or threads.
#pragma once

#include <span>
#include <string>

#include "bench/report.hpp"
#include "hotpack/result.hpp"

namespace hotpack::bench {

// `folders`: one pack, or several that are read as one data set.
[[nodiscard]] Result<BenchReport> run_bench(std::span<const std::string> folders,
                                            const BenchOptions& options);

}  // namespace hotpack::bench
