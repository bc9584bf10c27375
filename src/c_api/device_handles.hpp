// The structs behind the opaque handles of hotpack_device.h, and the conversion of its options.
//
// Ownership, thread-safety and failure: as handles.hpp and loader_options.hpp.
#pragma once

#include <optional>
#include <vector>

#include "c_api/failures.hpp"
#include "hotpack/device_loader.hpp"
#include "hotpack/hotpack_device.h"
#include "hotpack/result.hpp"

struct hotpack_device_loader {
  mutable hotpack::c_api::Failures failures;
  std::optional<hotpack::DeviceLoader> loader;
};

struct hotpack_device_batch {
  mutable hotpack::c_api::Failures failures;
  std::optional<hotpack::DeviceBatch> batch;  // absent for a batch of next_into()
  hotpack::DeviceBatchInfo written;           // describes a batch of next_into()
  std::vector<hotpack_crop> crops;

  [[nodiscard]] const hotpack::DeviceBatchInfo& info() const {
    return batch ? batch->info() : written;
  }
};

namespace hotpack::c_api {

// The defaults of DeviceLoaderOptions, with struct_size set to the size of this library's struct.
[[nodiscard]] hotpack_device_loader_options default_device_options();

// The result keeps no reference to `from`.
[[nodiscard]] Result<DeviceLoaderOptions> device_options(const hotpack_device_loader_options& from);

}  // namespace hotpack::c_api
