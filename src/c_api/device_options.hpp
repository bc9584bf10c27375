// Converts hotpack_device_loader_options to DeviceLoaderOptions. Pure functions; thread-safe.
// Failure: code `usage` with the option's name; DeviceLoader::open checks what depends on the
// data set or the devices.
#pragma once

#include "hotpack/device_loader.hpp"
#include "hotpack/hotpack_device.h"
#include "hotpack/result.hpp"

namespace hotpack::c_api {

// The defaults of DeviceLoaderOptions, with struct_size set to the size of this library's struct.
[[nodiscard]] hotpack_device_loader_options default_device_options();

// The result keeps no reference to `from`.
[[nodiscard]] Result<DeviceLoaderOptions> device_options(const hotpack_device_loader_options& from);

}  // namespace hotpack::c_api
