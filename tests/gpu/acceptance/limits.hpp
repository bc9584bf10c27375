// Bandwidths of the bus, of the device's memory and of one core, a Measurement for each.
//
// Ownership: a Measurement owns the memory that it copies, borrows the DeviceSession, and keeps the
// data set's files. Thread-safety: none. Failure: as DeviceSession; `io` where there is no memory.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/acceptance/measuring.hpp"
#include "gpu/acceptance/meter.hpp"
#include "hotpack/dataset.hpp"

namespace hotpack::gpu {

// The bus: copies of `bytes` bytes, more than 0, from pinned memory to the device, back to back.
[[nodiscard]] Result<Measurement> bus_copies(const DeviceSession& session, std::uint64_t bytes);
// The device's memory: copies of `bytes` bytes within the device; each counts twice, read and
// written.
[[nodiscard]] Result<Measurement> device_copies(const DeviceSession& session, std::uint64_t bytes);
// Gathering: these samples' records, again and again, to `bytes` bytes of pinned memory (at least
// one record's), by one thread and in the loader's own way.
[[nodiscard]] Result<Measurement> gathered_records(const DeviceSession& session,
                                                   const Dataset& dataset,
                                                   std::vector<std::uint64_t> samples,
                                                   std::uint64_t bytes);

}  // namespace hotpack::gpu
