// Measures reads from the disk. Drops the pack's pages from the page cache before each turn.
//
// Thread-safety: none. Failure: as Loader's functions, and `io` for shards that cannot be examined.
#pragma once

#include <string>
#include <vector>

#include "bench/report.hpp"
#include "bench/setup.hpp"

namespace hotpack::bench {

// Adds the rows of Stage::disk. If the system keeps the pages, adds a note instead, so that the
// rate of warm reads is never reported as that of cold ones. Precondition: nothing in this process
// has the shards mapped.
[[nodiscard]] Status measure_disk(const Setup& setup, BenchReport& report);

}  // namespace hotpack::bench
