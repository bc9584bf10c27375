// Reads from the disk, the page cache dropped before each turn.
//
// Thread-safety: none. Failure: as Loader's functions, and `io` for shards that cannot be examined.
#pragma once

#include <string>
#include <vector>

#include "bench/report.hpp"
#include "bench/setup.hpp"

namespace hotpack::bench {

// Adds the rows of Stage::disk, or a note where the system keeps the pages: a warm rate is never
// told as a cold one. Precondition: nothing in this process has the shards mapped.
[[nodiscard]] Status measure_disk(const Setup& setup, BenchReport& report);

}  // namespace hotpack::bench
