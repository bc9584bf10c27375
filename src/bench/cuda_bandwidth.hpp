// Measures the bandwidths of a CUDA device, which limit the rate of a DeviceLoader.
//
// Ownership: frees all memory that it allocates. Thread-safety: any thread, but measurements at the
// same time disturb each other. Failure: the code of DeviceLoader::open() if the device does not
// exist; `io` if memory is lacking or a call of the driver fails.
#pragma once

#include <memory>

#include "device/driver.hpp"
#include "hotpack/result.hpp"

namespace hotpack::bench {

// Bytes per second.
struct CudaBandwidth {
  double bus = 0;     // copies from pinned memory to the device
  double memory = 0;  // copies within the device; bytes read and bytes written both count
};

// Measures for about `seconds` seconds and returns the median of each bandwidth. Takes 64 MiB of
// pinned memory, and up to 512 MiB of the device's memory.
[[nodiscard]] Result<CudaBandwidth> measure_cuda_bandwidth(
    const std::shared_ptr<const device::Driver>& driver, int ordinal, double seconds);

}  // namespace hotpack::bench
