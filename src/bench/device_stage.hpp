// Measures how fast a DeviceLoader delivers a pack to a CUDA device, next to the bandwidths of bus,
// threads and device memory.
//
// Ownership: plain values. Thread-safety: one run at a time. Takes about 7 × options.seconds.
// Failure: as run_bench; `usage` where no device can be used, with what to do. If the records do
// not fit into the device's budget, a note says so.
#pragma once

#include <span>
#include <string>

#include "bench/report.hpp"
#include "hotpack/result.hpp"

namespace hotpack::bench {

// `ordinal` of the device as CUDA_VISIBLE_DEVICES shows it.
[[nodiscard]] Result<BenchReport> run_device_bench(std::span<const std::string> folders,
                                                   const BenchOptions& options, int ordinal);

// A test's stand-in for the driver names its devices as no GPU.
[[nodiscard]] bool is_real_device(const std::string& name);

}  // namespace hotpack::bench
