#include "c_api/device_options.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include "base/try.hpp"
#include "c_api/choices.hpp"
#include "c_api/loader_options.hpp"
#include "c_api/option_error.hpp"
#include "c_api/structs.hpp"

namespace hotpack::c_api {

namespace {

constexpr std::size_t kMostDevices =
    1024;  // more than any machine has; a larger count was never set

Status read_loader(const hotpack_device_loader_options& from, DeviceLoaderOptions& to) {
  if (from.loader == nullptr) return {};
  HOTPACK_ASSIGN(const hotpack_loader_options given,
                 read_struct(from.loader, default_options(), "hotpack_loader_options"));
  if (given.allocate != nullptr || given.free != nullptr) {
    return option_error(
        "allocate",
        "allocate and free are set, but slots of a device loader are pinned memory; leave both "
        "NULL");
  }
  HOTPACK_ASSIGN(to.loader, loader_options(given));
  return {};
}

Status read_devices(const hotpack_device_loader_options& from, DeviceLoaderOptions& to) {
  if (from.devices == nullptr && from.device_count == 0) return {};
  if (from.devices == nullptr)
    return option_error(
        "devices", "devices is NULL, but device_count is " + std::to_string(from.device_count));
  if (from.device_count == 0 || from.device_count > kMostDevices) {
    return option_error("device_count", "device_count is " + std::to_string(from.device_count) +
                                            "; it must be the number of elements of devices");
  }
  to.devices.assign(from.devices, from.devices + from.device_count);
  return {};
}

}  // namespace

// Reads the fields that are numbers and choices.
static Status read_plain(const hotpack_device_loader_options& from, DeviceLoaderOptions& to) {
  // <api: c device loader conversion>
  // clang-format off
  HOTPACK_ASSIGN(to.residency, choose("residency", from.residency,
                 {Residency::page, Residency::device, Residency::automatic}));
  to.outputs = from.outputs;
  if (from.pinned_budget_bytes != 0) to.pinned_budget_bytes = from.pinned_budget_bytes;
  if (from.device_budget_bytes != 0) to.device_budget_bytes = from.device_budget_bytes;
  // clang-format on
  // </api>
  return {};
}

hotpack_device_loader_options default_device_options() {
  hotpack_device_loader_options options{};
  options.struct_size = sizeof options;
  // <api: c device loader defaults>
  options.residency = HOTPACK_RESIDENCY_PAGE;
  options.outputs = 4;
  // </api>
  return options;
}

Result<DeviceLoaderOptions> device_options(const hotpack_device_loader_options& from) {
  DeviceLoaderOptions options;
  HOTPACK_TRY(read_loader(from, options));
  HOTPACK_TRY(read_devices(from, options));
  HOTPACK_TRY(read_plain(from, options));
  if (from.progress != nullptr) {
    options.progress = [call = from.progress, user = from.progress_user](const LoadProgress& at) {
      const hotpack_load_progress told{at.records_done, at.records_total, at.bytes_done,
                                       at.bytes_total};
      return call(user, &told) != 0;
    };
  }
  return options;
}

}  // namespace hotpack::c_api
