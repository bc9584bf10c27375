// hotpack_device_loader_options as DeviceLoaderOptions. Pure functions; thread-safe. Failure: code `usage`, naming the option; what depends
// on the data set or the devices is checked by DeviceLoader::open.
#pragma once

#include "hotpack/device_loader.hpp"
#include "hotpack/hotpack_device.h"
#include "hotpack/result.hpp"

namespace hotpack::c_api {

// As DeviceLoaderOptions has them; struct_size is that of this library's struct.
[[nodiscard]] hotpack_device_loader_options default_device_options();

// Nothing refers to `from` afterwards.
[[nodiscard]] Result<DeviceLoaderOptions> device_options(const hotpack_device_loader_options& from);

}  // namespace hotpack::c_api
