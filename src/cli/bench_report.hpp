// The report of a bench as text and JSON, of host and device alike.
//
// Pure functions; thread-safe.
#pragma once

#include <string>

#include "bench/report.hpp"

namespace hotpack::cli {

// A table, and below it the recommendation and notes.
[[nodiscard]] std::string bench_text(const bench::BenchReport& report);
// One line of JSON and a newline: "report": "hotpack-bench/2".
[[nodiscard]] std::string bench_json(const bench::BenchReport& report);

}  // namespace hotpack::cli
