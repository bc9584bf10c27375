// The acceptance benchmark. It measures each rate of the DeviceLoader, and in the same process the
// bandwidth of bus or memory that limits it. Their ratio has a target.
//
// Ownership: plain values. Thread-safety: one run at a time. Takes about 45 × options.seconds if a
// batch takes a millisecond or two; if batches are slow, about 1,200 times as long as a batch.
// Failure: as bench::run_bench; `usage` if no device can be used, with what to do. A later failure
// keeps the rows before it. Its own row and AcceptanceReport::failed have the reason.
#pragma once

#include <span>
#include <string>

#include "gpu/acceptance/measuring.hpp"
#include "gpu/acceptance/report.hpp"
#include "hotpack/result.hpp"

namespace hotpack::gpu {

// `ordinal` is that of the device as CUDA_VISIBLE_DEVICES shows it. Of `options`, the largest
// number of `threads` is the loader's, and `cold` has no effect.
[[nodiscard]] Result<AcceptanceReport> run_acceptance(std::span<const std::string> folders,
                                                      const BenchOptions& options, int ordinal);

}  // namespace hotpack::gpu
