// The structs behind the opaque handles of hotpack_device.h.
//
// Ownership, thread-safety and failure: as handles.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "c_api/call.hpp"
#include "c_api/failures.hpp"
#include "hotpack/device_loader.hpp"
#include "hotpack/hotpack_device.h"
#include "hotpack/result.hpp"

struct hotpack_cuda {
  mutable hotpack::c_api::Failures failures;
  std::optional<hotpack::CudaInfo> info;
};

struct hotpack_device_loader {
  mutable hotpack::c_api::Failures failures;
  std::optional<hotpack::DeviceLoader> loader;
};

struct hotpack_device_batch {
  mutable hotpack::c_api::Failures failures;
  std::optional<hotpack::DeviceBatch> lease;  // absent for a batch of next_into()
  hotpack::DeviceBatchInfo copied;            // describes a batch of next_into()
  std::vector<hotpack_crop> crops;

  [[nodiscard]] const hotpack::DeviceBatchInfo& info() const {
    return lease ? lease->info() : copied;
  }
};

namespace hotpack::c_api {

// Calls body(DeviceLoader) and returns its status. If the handle failed to open, returns
// HOTPACK_ERROR_USAGE instead; the handle then still has the text of the error of opening.
template <class Body>
hotpack_status with_device_loader(hotpack_device_loader* handle, const Body& body) noexcept {
  if (handle == nullptr || !handle->loader) return HOTPACK_ERROR_USAGE;
  return call(handle->failures, [&]() -> Outcome { return body(*handle->loader); });
}

// One device's part of the batch. Failure: code `usage` for a part that does not exist.
[[nodiscard]] Result<const DevicePart*> part_of(const hotpack_device_batch& batch,
                                                std::uint64_t number);

}  // namespace hotpack::c_api
