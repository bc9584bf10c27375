// Measures this machine with one data set: each rate of the Loader compared with what plain loops reach with the same records in the same
// minutes.
//
// Ownership: plain values. Thread-safety: one run at a time, or they disturb each other. Takes about rows × options.seconds.
// Failure: as Dataset and Loader, `damaged` with the record's text among them; `usage` for an empty set; `cancelled` where
// options.progress said to stop; `io` where the system gives no memory or threads.
#pragma once

#include <span>
#include <string>

#include "bench/report.hpp"
#include "hotpack/result.hpp"

namespace hotpack::bench {

// `folders`: one pack, or several that are read as one data set.
[[nodiscard]] Result<BenchReport> run_bench(std::span<const std::string> folders, const BenchOptions& options);

}  // namespace hotpack::bench
