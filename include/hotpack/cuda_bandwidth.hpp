// Measures the bandwidths of a CUDA device. They are limits for the rate of a DeviceLoader.
//
// Ownership: plain values; the function frees all memory that it allocates. Thread-safety: any
// thread, but measurements at the same time disturb each other. The function leaves the thread's
// current CUDA context as it was. Failure: the code of DeviceLoader::open() if the device does not
// exist; `io` if memory is lacking or a call of the driver fails.
#pragma once

#include "hotpack/result.hpp"

namespace hotpack {

/// Bytes per second.
struct CudaBandwidth {
  double bus = 0;     ///< copies from pinned memory to the device
  double memory = 0;  ///< copies within the device; bytes read and bytes written both count
};

/// Measures for about `seconds` seconds and returns the median of each bandwidth. Takes 64 MiB of
/// pinned memory, and up to 512 MiB of the device's memory.
[[nodiscard]] Result<CudaBandwidth> measure_cuda_bandwidth(int device, double seconds);

}  // namespace hotpack
