// DeviceLoader::open() and cuda_info() for tests, with a driver and kernels of their own.
#pragma once

#include <memory>
#include <span>

#include "device/driver.hpp"
#include "hotpack/device_loader.hpp"

namespace hotpack::device {

[[nodiscard]] Result<DeviceLoader> open_device_loader(const Dataset& dataset,
                                                      const DeviceLoaderOptions& options,
                                                      const std::shared_ptr<const Driver>& driver,
                                                      std::span<const std::byte> kernels);
[[nodiscard]] Result<CudaInfo> info_of(const std::shared_ptr<const Driver>& driver);

}  // namespace hotpack::device
