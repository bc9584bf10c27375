// Turns the report of a bench, on the host or on a device, into text and JSON.
//
// Pure functions; thread-safe.
#pragma once

#include <string>

#include "bench/report.hpp"

namespace hotpack::cli {

// Returns a table, and below it the recommended number of threads and the notes.
[[nodiscard]] std::string bench_text(const bench::BenchReport& report);
// Returns one line of JSON and a newline. Its member `report` is "hotpack-bench/2".
[[nodiscard]] std::string bench_json(const bench::BenchReport& report);

}  // namespace hotpack::cli
