// Measures the steps from the page cache to batches, each with a given number of threads: copying
// records, expanding them, and delivering batches to a consumer.
//
// Ownership: borrows everything, which must outlive the call. Thread-safety: none. Failure: as
// Loader's functions.
#pragma once

#include <cstdint>

#include "bench/records.hpp"
#include "bench/report.hpp"
#include "bench/setup.hpp"

namespace hotpack::bench {

// The part of a data set that is in memory.
struct Warm {
  const Dataset* dataset = nullptr;
  const RecordList* records = nullptr;
  std::uint64_t steps = UINT64_MAX;  // of an epoch that are in memory
};

// Adds the rows of Stage::copies, expansion and end_to_end.
[[nodiscard]] Status measure_memory(const Setup& setup, const Warm& warm, unsigned threads,
                                    BenchReport& report);

// Measures how long a consumer waits for a Loader with `threads` threads. Pass the Loader's
// measured rate as `batches_per_second`; it determines how fast the consumer takes batches.
[[nodiscard]] Result<Consumer> measure_consumer(const Setup& setup, const Warm& warm,
                                                unsigned threads, double batches_per_second);

}  // namespace hotpack::bench
