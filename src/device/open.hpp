// DeviceLoader::open with a driver and kernels that the caller chooses, for tests.
#pragma once

#include "device/driver.hpp"
#include "device/kernel_modules.hpp"
#include "hotpack/device_loader.hpp"

namespace hotpack::device {

[[nodiscard]] Result<DeviceLoader> open_device_loader(const Dataset& dataset,
                                                      const DeviceLoaderOptions& options,
                                                      const std::shared_ptr<const Driver>& driver,
                                                      const KernelImages& kernels);

}  // namespace hotpack::device
