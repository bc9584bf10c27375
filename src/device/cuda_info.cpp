#include <array>
#include <utility>

#include "base/try.hpp"
#include "device/kernels.hpp"
#include "device/open.hpp"

namespace hotpack {
namespace device {
namespace {

// Returns the free memory of a device, or 0 if this process does not use the device: the driver
// reports the free memory only inside a context, and making one takes hundreds of megabytes.
std::uint64_t free_bytes_of(const std::shared_ptr<const Driver>& driver, Ordinal device,
                            int ordinal) {
  unsigned flags = 0;
  int active = 0;
  const int known = driver->api().DevicePrimaryCtxGetState(device, &flags, &active);
  if (known != code::kSuccess || active == 0) return 0;
  const auto context = Context::retain(driver, ordinal);
  const auto memory = context.ok() ? (*context)->memory() : context.error();
  return memory.ok() ? memory->first : 0;
}

Result<CudaDevice> device_of(const std::shared_ptr<const Driver>& driver, int ordinal) {
  Ordinal device = 0;
  std::array<char, 256> name{};
  std::size_t bytes = 0;
  CudaDevice found;
  found.ordinal = ordinal;
  HOTPACK_TRY(HOTPACK_DRIVER(*driver, DeviceGet, &device, ordinal));
  HOTPACK_TRY(HOTPACK_DRIVER(*driver, DeviceGetName, name.data(), static_cast<int>(name.size()) - 1,
                             device));
  HOTPACK_TRY(HOTPACK_DRIVER(*driver, DeviceGetAttribute, &found.major, kAttributeMajor, device));
  HOTPACK_TRY(HOTPACK_DRIVER(*driver, DeviceGetAttribute, &found.minor, kAttributeMinor, device));
  HOTPACK_TRY(HOTPACK_DRIVER(*driver, DeviceTotalMem, &bytes, device));
  found.name = name.data();
  found.memory_bytes = bytes;
  found.free_bytes = free_bytes_of(driver, device, ordinal);
  return found;
}

}  // namespace

Result<CudaInfo> info_of(const std::shared_ptr<const Driver>& driver) {
  CudaInfo info;
  info.driver_version = driver->version();
  info.kernels = embedded_kernels_text();
  for (int ordinal = 0; ordinal < driver->devices(); ++ordinal) {
    HOTPACK_ASSIGN(CudaDevice found, device_of(driver, ordinal));
    info.devices.push_back(std::move(found));
  }
  return info;
}

}  // namespace device

Result<CudaInfo> cuda_info() {
  HOTPACK_ASSIGN(const auto driver, device::Driver::load());
  return device::info_of(driver);
}

}  // namespace hotpack
