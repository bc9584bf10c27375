// Measures the bandwidths of the bus, of the device's memory and of one core.
//
// Ownership: a Measurement owns the memory that it copies, borrows the DeviceSession, and keeps the
// data set's files. Not thread-safe. Failure: as DeviceSession; `io` if memory is lacking.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/acceptance/measuring.hpp"
#include "gpu/acceptance/meter.hpp"
#include "hotpack/dataset.hpp"

namespace hotpack::gpu {

// Measures the bus: copies `bytes` bytes (more than 0) from pinned memory to the device, back to
// back.
[[nodiscard]] Result<Measurement> bus_copies(const DeviceSession& session, std::uint64_t bytes);
// Measures the device's memory: copies `bytes` bytes within the device. Each byte counts twice, as
// read and as written.
[[nodiscard]] Result<Measurement> device_copies(const DeviceSession& session, std::uint64_t bytes);
// Measures gathering: one thread copies these samples' records again and again to `bytes` bytes of
// pinned memory (at least one record's), as the loader does.
[[nodiscard]] Result<Measurement> gathered_records(const DeviceSession& session,
                                                   const Dataset& dataset,
                                                   std::vector<std::uint64_t> samples,
                                                   std::uint64_t bytes);

}  // namespace hotpack::gpu
