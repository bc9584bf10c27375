// Compares driver_api.hpp with the headers of an installed toolkit: numbers, signatures, and the
// version since which each function has its form.
#include <cudaTypedefs.h>

#include <array>
#include <cstddef>
#include <type_traits>

#include "device/driver_api.hpp"
#include "support/catch.hpp"

namespace hotpack::device {
namespace {

// An int stands for an enumeration: the same bytes in the same registers.
template <class Ours, class Theirs>
constexpr bool same_value() {
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    using Our = std::remove_pointer_t<Ours>;
    using Their = std::remove_pointer_t<Theirs>;
    return same_value<Our, Their>() || (std::is_same_v<Our, const PoolProperties> &&
                                        std::is_same_v<Their, const CUmemPoolProps>);
  } else if constexpr (std::is_enum_v<Theirs>) {
    return std::is_same_v<Ours, int> && sizeof(Theirs) == sizeof(int);
  } else {
    return std::is_same_v<Ours, Theirs>;
  }
}

template <class... Ours, class... Theirs>
constexpr bool same_signature(int (*)(Ours...), CUresult (*)(Theirs...)) {
  if constexpr (sizeof...(Ours) == sizeof...(Theirs)) {
    return (same_value<Ours, Theirs>() && ...);
  } else {
    return false;
  }
}

// cudaTypedefs.h has PFN_cuMemAlloc_v3020 for the form of cuMemAlloc since CUDA 3.2.
#define HOTPACK_COMPARE(name, version, parameters)                                          \
  static_assert(same_signature(decltype(DriverTable::name){}, PFN_cu##name##_v##version{}), \
                "cu" #name " differs from the header");
HOTPACK_DRIVER_CALLS(HOTPACK_COMPARE)
#undef HOTPACK_COMPARE

using Theirs = CUmemPoolProps;
static_assert(sizeof(PoolProperties) == sizeof(Theirs) &&
              offsetof(PoolProperties, allocation) == offsetof(Theirs, allocType) &&
              offsetof(PoolProperties, handles) == offsetof(Theirs, handleTypes) &&
              offsetof(PoolProperties, location) == offsetof(Theirs, location.type) &&
              offsetof(PoolProperties, ordinal) == offsetof(Theirs, location.id) &&
              offsetof(PoolProperties, security) == offsetof(Theirs, win32SecurityAttributes));
static_assert(PoolProperties{}.allocation == CU_MEM_ALLOCATION_TYPE_PINNED &&
              PoolProperties{}.handles == CU_MEM_HANDLE_TYPE_NONE &&
              PoolProperties{}.location == CU_MEM_LOCATION_TYPE_DEVICE);

// The same numbers in the same order.
using namespace code;
template <class... Numbers>
constexpr std::array<long long, sizeof...(Numbers)> all(Numbers... numbers) {
  return {static_cast<long long>(numbers)...};
}
constexpr auto kOurs =
    all(kSuccess, kInvalidValue, kOutOfMemory, kNotInitialized, kDeinitialized, kStubLibrary,
        kNoDevice, kInvalidDevice, kInvalidImage, kInvalidContext, kNoBinaryForGpu, kInvalidPtx,
        kUnsupportedPtxVersion, kInvalidHandle, kNotFound, kNotReady, kIllegalAddress,
        kLaunchFailed, kSystemNotReady, kSystemDriverMismatch, kCompatNotSupported,
        kStreamCaptureUnsupported, kStreamCaptureImplicit, kCapturedEvent, kNotSupported, kUnknown,
        kStreamNonBlocking, kEventDisableTiming, kEventBlockingSync, kHostAllocPortable,
        kAttributeMajor, kAttributeMinor, kAttributeMemoryPools, kPoolReleaseThreshold,
        kPointerMemoryType, kPointerManaged, kPointerOrdinal, kMemoryHost, kMemoryDevice,
        kCaptureNone, kCaptureActive, kCaptureInvalidated, kCaptureModeRelaxed);
constexpr auto kTheirs =
    all(CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY,
        CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_DEINITIALIZED, CUDA_ERROR_STUB_LIBRARY,
        CUDA_ERROR_NO_DEVICE, CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_IMAGE,
        CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_NO_BINARY_FOR_GPU, CUDA_ERROR_INVALID_PTX,
        CUDA_ERROR_UNSUPPORTED_PTX_VERSION, CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_NOT_FOUND,
        CUDA_ERROR_NOT_READY, CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED,
        CUDA_ERROR_SYSTEM_NOT_READY, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
        CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
        CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, CUDA_ERROR_CAPTURED_EVENT, CUDA_ERROR_NOT_SUPPORTED,
        CUDA_ERROR_UNKNOWN, CU_STREAM_NON_BLOCKING, CU_EVENT_DISABLE_TIMING, CU_EVENT_BLOCKING_SYNC,
        CU_MEMHOSTALLOC_PORTABLE, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
        CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_MEMORYTYPE_HOST,
        CU_MEMORYTYPE_DEVICE, CU_STREAM_CAPTURE_STATUS_NONE, CU_STREAM_CAPTURE_STATUS_ACTIVE,
        CU_STREAM_CAPTURE_STATUS_INVALIDATED, CU_STREAM_CAPTURE_MODE_RELAXED);
static_assert(kOurs == kTheirs);

TEST_CASE("the streams of every context have the numbers of cuda.h") {
  CHECK(kLegacyStream == CU_STREAM_LEGACY);
  CHECK(kPerThreadStream == CU_STREAM_PER_THREAD);
}

}  // namespace
}  // namespace hotpack::device
