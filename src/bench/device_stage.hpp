// Measures the way from a pack to a device: each rate of the DeviceLoader compared with what bus and memory give in the same process.
//
// Ownership: plain values. Thread-safety: one run at a time. Takes about 45 × options.seconds where a batch takes a millisecond or two;
// where it takes long, about 1,200 times as long as a batch.
// Failure: as run_bench; `usage` where no device can be used, with what to do. What fails once something was measured does not take that
// away: its row tells it, and DeviceReport::failed.
#pragma once

#include <span>
#include <string>

#include "bench/device_report.hpp"
#include "bench/report.hpp"
#include "hotpack/result.hpp"

namespace hotpack::bench {

// `ordinal` of the device as CUDA_VISIBLE_DEVICES shows it. Of options, `threads` names the loader's (the largest number counts), `cold`
// means nothing.
[[nodiscard]] Result<DeviceReport> run_device_bench(std::span<const std::string> folders, const BenchOptions& options, int ordinal);

}  // namespace hotpack::bench
