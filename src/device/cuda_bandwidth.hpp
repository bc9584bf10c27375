// cuda_bandwidth(): measures a device's bandwidths with a driver that the caller chooses. Tests use
// it.
#pragma once

#include <memory>

#include "device/driver.hpp"
#include "hotpack/cuda_bandwidth.hpp"

namespace hotpack::device {

[[nodiscard]] Result<CudaBandwidth> bandwidth_of(const std::shared_ptr<const Driver>& driver,
                                                 int ordinal, double seconds);

}  // namespace hotpack::device
