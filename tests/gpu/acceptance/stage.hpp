// The acceptance benchmark: each rate of the DeviceLoader next to the bandwidth of bus or memory,
// measured in the same process, and a target for their ratio.
//
// Ownership: plain values. Thread-safety: one run at a time. Takes about 45 × options.seconds where
// a batch takes a millisecond or two; where it takes long, about 1,200 times as long as a batch.
// Failure: as bench::run_bench; `usage` where no device can be used, with what to do. A later
// failure keeps the rows before it: its row has the reason, and so has AcceptanceReport::failed.
#pragma once

#include <span>
#include <string>

#include "gpu/acceptance/measuring.hpp"
#include "gpu/acceptance/report.hpp"
#include "hotpack/result.hpp"

namespace hotpack::gpu {

// `ordinal` of the device as CUDA_VISIBLE_DEVICES shows it. Of options, `threads` names the
// loader's (the largest number counts); `cold` has no effect.
[[nodiscard]] Result<AcceptanceReport> run_acceptance(std::span<const std::string> folders,
                                                      const BenchOptions& options, int ordinal);

}  // namespace hotpack::gpu
