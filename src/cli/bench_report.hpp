// What a bench measured, as text and JSON.
//
// Pure functions; thread-safe.
#pragma once

#include <string>

#include "bench/report.hpp"

namespace hotpack::cli {

// A table that a person reads in ten seconds, and below it what follows from it.
[[nodiscard]] std::string bench_text(const bench::BenchReport& report);
// One line of JSON and a newline: "report": "hotpack-bench/1".
[[nodiscard]] std::string bench_json(const bench::BenchReport& report);

}  // namespace hotpack::cli
