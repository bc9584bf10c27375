// What the bus, the device's memory and one core give at best: a Turn each.
//
// Ownership: a Turn owns the memory that it copies, borrows the Station, and keeps the data set's files. Thread-safety: none.
// Failure: as Station; `io` where there is no memory.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/device_meter.hpp"
#include "bench/measure.hpp"
#include "hotpack/dataset.hpp"

namespace hotpack::bench {

// L: copies of `bytes` bytes, more than 0, from pinned memory to the device, back to back.
[[nodiscard]] Result<Turn> bus_copies(const Station& station, std::uint64_t bytes);
// B: copies of `bytes` bytes within the device; each counts twice, read and written.
[[nodiscard]] Result<Turn> device_copies(const Station& station, std::uint64_t bytes);
// m: these samples' records, again and again, to `bytes` bytes of pinned memory (at least one record's), by one thread and in the loader's
// own way.
[[nodiscard]] Result<Turn> gathered_records(const Station& station, const Dataset& dataset, std::vector<std::uint64_t> samples,
                                            std::uint64_t bytes);

}  // namespace hotpack::bench
