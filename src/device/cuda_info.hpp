// cuda_info() for a driver that the caller chooses.
#pragma once

#include <memory>

#include "device/driver.hpp"
#include "hotpack/device_loader.hpp"

namespace hotpack::device {

[[nodiscard]] Result<CudaInfo> info_of(const std::shared_ptr<const Driver>& driver);

}  // namespace hotpack::device
