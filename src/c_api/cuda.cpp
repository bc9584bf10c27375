// The functions hotpack_cuda_….
#include <new>
#include <string>

#include "base/try.hpp"
#include "c_api/call.hpp"
#include "c_api/device_handles.hpp"
#include "c_api/handles.hpp"
#include "c_api/structs.hpp"
#include "hotpack/device_loader.hpp"
#include "hotpack/hotpack_device.h"

namespace hotpack::c_api {
namespace {

hotpack_cuda_info info_of(const CudaInfo& cuda) {
  hotpack_cuda_info info{};
  info.devices = cuda.devices.size();
  info.kernels = cuda.kernels.c_str();
  info.driver_version = cuda.driver_version;
  return info;
}

hotpack_cuda_device_info info_of(const CudaDevice& device) {
  hotpack_cuda_device_info info{};
  info.name = device.name.c_str();
  info.memory_bytes = device.memory_bytes;
  info.free_bytes = device.free_bytes;
  info.ordinal = device.ordinal;
  info.major = device.major;
  info.minor = device.minor;
  return info;
}

// Calls body(CudaInfo) for an open handle.
template <class Body>
hotpack_status with_cuda(const hotpack_cuda* handle, const Body& body) noexcept {
  if (handle == nullptr || !handle->info) return HOTPACK_ERROR_USAGE;
  return call(handle->failures, [&]() -> Outcome { return body(*handle->info); });
}

}  // namespace
}  // namespace hotpack::c_api

using namespace hotpack;
using namespace hotpack::c_api;

hotpack_status hotpack_cuda_query(hotpack_cuda** cuda) {
  if (cuda == nullptr) return HOTPACK_ERROR_USAGE;
  *cuda = new (std::nothrow) hotpack_cuda;
  if (*cuda == nullptr) return HOTPACK_ERROR_IO;  // no memory
  return call((*cuda)->failures, [&]() -> Outcome {
    HOTPACK_ASSIGN((*cuda)->info, cuda_info());
    return HOTPACK_OK;
  });
}

void hotpack_cuda_close(hotpack_cuda* cuda) { delete cuda; }

const char* hotpack_cuda_error(const hotpack_cuda* cuda) {
  return cuda == nullptr ? "" : cuda->failures.latest();
}

hotpack_status hotpack_cuda_error_info(const hotpack_cuda* cuda, hotpack_error_info* info) {
  return describe_error(cuda == nullptr ? nullptr : &cuda->failures, info);
}

hotpack_status hotpack_cuda_describe(const hotpack_cuda* cuda, hotpack_cuda_info* info) {
  return with_cuda(cuda, [&](const CudaInfo& known) -> Outcome {
    HOTPACK_TRY(require(info, "info"));
    HOTPACK_TRY(write_struct(info_of(known), info, "hotpack_cuda_info"));
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_cuda_device(const hotpack_cuda* cuda, uint64_t number,
                                   hotpack_cuda_device_info* info) {
  return with_cuda(cuda, [&](const CudaInfo& known) -> Outcome {
    HOTPACK_TRY(require(info, "info"));
    if (number >= known.devices.size()) return HOTPACK_NOT_FOUND;
    HOTPACK_TRY(write_struct(info_of(known.devices[number]), info, "hotpack_cuda_device_info"));
    return HOTPACK_OK;
  });
}
