// Measures reading from the disk. Drops the pack's pages from the page cache before each
// measurement.
//
// Thread-safety: none. Failure: as Loader's functions, and `io` for shards that cannot be examined.
#pragma once

#include <string>
#include <vector>

#include "bench/report.hpp"
#include "bench/setup.hpp"

namespace hotpack::bench {

// Measures reading from the disk and adds the rows of Stage::disk to the report. If the system
// keeps the pack's pages in memory, adds a note instead, so that a rate of the page cache is never
// reported as one of the disk. Precondition: nothing in this process has the shards mapped.
[[nodiscard]] Status measure_disk(const Setup& setup, BenchReport& report);

}  // namespace hotpack::bench
