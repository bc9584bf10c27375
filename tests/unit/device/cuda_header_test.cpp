// Compares driver_api.hpp with the headers of an installed toolkit: numbers, signatures, and the
// version since which each function has its form.
#include <cudaTypedefs.h>

#include <type_traits>

#include "device/driver_api.hpp"
#include "support/catch.hpp"

namespace hotpack::device {
namespace {

// An int stands for an enumeration: the same bytes in the same registers.
template <class Ours, class Theirs>
constexpr bool same_value() {
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    return same_value<std::remove_pointer_t<Ours>, std::remove_pointer_t<Theirs>>();
  } else if constexpr (std::is_enum_v<Theirs>) {
    return std::is_same_v<Ours, int> && sizeof(Theirs) == sizeof(int);
  } else {
    return std::is_same_v<Ours, Theirs>;
  }
}

template <class Ours, class... OurParameters, class Theirs, class... TheirParameters>
constexpr bool same_signature(Ours (*)(OurParameters...), Theirs (*)(TheirParameters...)) {
  if constexpr (sizeof...(OurParameters) == sizeof...(TheirParameters)) {
    return same_value<Ours, Theirs>() && (same_value<OurParameters, TheirParameters>() && ...);
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

static_assert(std::is_same_v<Ordinal, CUdevice> && std::is_same_v<Pointer, CUdeviceptr> &&
              std::is_same_v<StreamHandle, CUstream>);
static_assert(std::is_same_v<EventHandle, CUevent> && std::is_same_v<ContextHandle, CUcontext>);
static_assert(std::is_same_v<ModuleHandle, CUmodule> && std::is_same_v<FunctionHandle, CUfunction>);

TEST_CASE("the codes of driver_api.hpp are those of cuda.h") {
  CHECK(code::kSuccess == CUDA_SUCCESS);
  CHECK(code::kInvalidValue == CUDA_ERROR_INVALID_VALUE);
  CHECK(code::kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
  CHECK(code::kNotInitialized == CUDA_ERROR_NOT_INITIALIZED);
  CHECK(code::kDeinitialized == CUDA_ERROR_DEINITIALIZED);
  CHECK(code::kStubLibrary == CUDA_ERROR_STUB_LIBRARY);
  CHECK(code::kDeviceUnavailable == CUDA_ERROR_DEVICE_UNAVAILABLE);
  CHECK(code::kNoDevice == CUDA_ERROR_NO_DEVICE);
  CHECK(code::kInvalidDevice == CUDA_ERROR_INVALID_DEVICE);
  CHECK(code::kInvalidImage == CUDA_ERROR_INVALID_IMAGE);
  CHECK(code::kInvalidContext == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(code::kNoBinaryForGpu == CUDA_ERROR_NO_BINARY_FOR_GPU);
  CHECK(code::kInvalidPtx == CUDA_ERROR_INVALID_PTX);
  CHECK(code::kUnsupportedPtxVersion == CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  CHECK(code::kInvalidHandle == CUDA_ERROR_INVALID_HANDLE);
  CHECK(code::kNotFound == CUDA_ERROR_NOT_FOUND);
  CHECK(code::kNotReady == CUDA_ERROR_NOT_READY);
  CHECK(code::kIllegalAddress == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(code::kLaunchFailed == CUDA_ERROR_LAUNCH_FAILED);
  CHECK(code::kSystemNotReady == CUDA_ERROR_SYSTEM_NOT_READY);
  CHECK(code::kCompatNotSupported == CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE);
  CHECK(code::kCapturedEvent == CUDA_ERROR_CAPTURED_EVENT);
  CHECK(code::kLastOfCapture == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  CHECK(code::kSystemDriverMismatch == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
  CHECK(code::kStreamCaptureUnsupported == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CHECK(code::kStreamCaptureImplicit == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  CHECK(code::kUnknown == CUDA_ERROR_UNKNOWN);
}

TEST_CASE("the flags and attributes of driver_api.hpp are those of cuda.h") {
  CHECK(kStreamNonBlocking == CU_STREAM_NON_BLOCKING);
  CHECK(kEventDisableTiming == CU_EVENT_DISABLE_TIMING);
  CHECK(kEventBlockingSync == CU_EVENT_BLOCKING_SYNC);
  CHECK(kHostAllocPortable == CU_MEMHOSTALLOC_PORTABLE);
  CHECK(kHostAllocWriteCombined == CU_MEMHOSTALLOC_WRITECOMBINED);
  CHECK(kAttributeMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  CHECK(kAttributeMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  CHECK(kAttributeMultiprocessors == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  CHECK(kPointerMemoryType == CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
  CHECK(kPointerManaged == CU_POINTER_ATTRIBUTE_IS_MANAGED);
  CHECK(kPointerLegacyIpc == CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE);
  CHECK(kPointerRangeStart == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR);
  CHECK(kPointerRangeSize == CU_POINTER_ATTRIBUTE_RANGE_SIZE);
  CHECK(kPointerOrdinal == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
  CHECK(kMemoryHost == CU_MEMORYTYPE_HOST);
  CHECK(kMemoryDevice == CU_MEMORYTYPE_DEVICE);
  CHECK(kCaptureNone == CU_STREAM_CAPTURE_STATUS_NONE);
  CHECK(kCaptureActive == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CHECK(kCaptureInvalidated == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  CHECK(kLegacyStream == CU_STREAM_LEGACY);
  CHECK(kPerThreadStream == CU_STREAM_PER_THREAD);
}

}  // namespace
}  // namespace hotpack::device
