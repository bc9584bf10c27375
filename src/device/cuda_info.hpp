// What cuda_info() tells, of a driver of the caller's choice.
#pragma once

#include <memory>

#include "device/driver.hpp"
#include "hotpack/device_loader.hpp"

namespace hotpack::device {

[[nodiscard]] Result<CudaInfo> info_of(const std::shared_ptr<const Driver>& driver);

}  // namespace hotpack::device
