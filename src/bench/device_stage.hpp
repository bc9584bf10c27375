// Measures how fast a DeviceLoader delivers a pack to a CUDA device, next to the bandwidths of the
// bus, of the host's threads and of the device's memory.
//
// Ownership: plain values. Thread-safety: one run at a time. A run takes about 7 × options.seconds.
// Failure: as run_bench; `usage` if no device can be used, and the message says what to do. If the
// records do not fit into the device's budget, a note in the report says so.
#pragma once

#include <span>
#include <string>

#include "bench/report.hpp"
#include "hotpack/result.hpp"

namespace hotpack::bench {

// `ordinal` is the number of the device as CUDA_VISIBLE_DEVICES shows it.
[[nodiscard]] Result<BenchReport> run_device_bench(std::span<const std::string> folders,
                                                   const BenchOptions& options, int ordinal);

// False for the stand-in for a driver that tests use: it names its devices "no GPU".
[[nodiscard]] bool is_real_device(const std::string& name);

}  // namespace hotpack::bench
