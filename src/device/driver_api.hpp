// Declares the functions of the CUDA driver that hotpack calls. Types, numbers and signatures are
// those of the driver's library. CUDA's headers are not used, so that every build has the same
// code.
//
// Plain declarations. If a CUDA toolkit is installed, tests/unit/device compares numbers and
// signatures with its cuda.h.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUctx_st;
struct CUevent_st;
struct CUfunc_st;
struct CUmod_st;
struct CUstream_st;

namespace hotpack::device {

using Ordinal = int;                 // CUdevice
using Pointer = unsigned long long;  // CUdeviceptr
using StreamHandle = CUstream_st*;
using EventHandle = CUevent_st*;
using ContextHandle = CUctx_st*;
using ModuleHandle = CUmod_st*;
using FunctionHandle = CUfunc_st*;

// Values of CUresult.
namespace code {
inline constexpr int kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kNotInitialized = 3,
                     kDeinitialized = 4, kStubLibrary = 34, kDeviceUnavailable = 46,
                     kNoDevice = 100, kInvalidDevice = 101, kInvalidImage = 200,
                     kInvalidContext = 201, kNoBinaryForGpu = 209, kInvalidPtx = 218,
                     kUnsupportedPtxVersion = 222, kInvalidHandle = 400, kNotFound = 500,
                     kNotReady = 600, kIllegalAddress = 700, kLaunchFailed = 719,
                     kSystemNotReady = 802, kSystemDriverMismatch = 803, kCompatNotSupported = 804,
                     kStreamCaptureUnsupported = 900, kStreamCaptureImplicit = 906,
                     kCapturedEvent = 907, kLastOfCapture = 908, kUnknown = 999;
// True for errors that only last until a stream capture ends.
constexpr bool is_of_a_capture(int code) {
  return code >= kStreamCaptureUnsupported && code <= kLastOfCapture;
}
}  // namespace code

inline constexpr unsigned kStreamNonBlocking = 1;       // CU_STREAM_NON_BLOCKING
inline constexpr unsigned kEventDisableTiming = 2;      // CU_EVENT_DISABLE_TIMING
inline constexpr unsigned kEventBlockingSync = 1;       // CU_EVENT_BLOCKING_SYNC
inline constexpr unsigned kHostAllocPortable = 1;       // CU_MEMHOSTALLOC_PORTABLE
inline constexpr unsigned kHostAllocWriteCombined = 4;  // CU_MEMHOSTALLOC_WRITECOMBINED
inline constexpr int kAttributeMajor = 75, kAttributeMinor = 76,
                     kAttributeMultiprocessors = 16;  // CUdevice_attribute
inline constexpr int kPointerMemoryType = 2, kPointerManaged = 8,
                     kPointerOrdinal = 9;  // CUpointer_attribute
inline constexpr int kPointerLegacyIpc = 10, kPointerRangeStart = 11,
                     kPointerRangeSize = 12;              // likewise
inline constexpr int kMemoryHost = 1, kMemoryDevice = 2;  // CUmemorytype
inline constexpr int kCaptureNone = 0, kCaptureActive = 1,
                     kCaptureInvalidated = 2;  // CUstreamCaptureStatus
inline constexpr int kCaptureModeRelaxed = 2;  // CUstreamCaptureMode
// Streams that exist in every context. The driver represents them by small numbers instead of
// addresses. NOLINTBEGIN(performance-no-int-to-ptr)
inline const StreamHandle kLegacyStream = reinterpret_cast<StreamHandle>(std::uintptr_t{1});
inline const StreamHandle kPerThreadStream = reinterpret_cast<StreamHandle>(std::uintptr_t{2});
// NOLINTEND(performance-no-int-to-ptr)

// Converts an address in a device's memory from the driver's type, an integer, to a pointer, which
// kernels take.
template <class T>
T* device_pointer(Pointer address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
}

// CALL(name, version, parameters) declares the driver's function cu<name> in the form that it has
// since this CUDA version (the number that cuGetProcAddress takes). Each function returns a
// CUresult.
#define HOTPACK_DRIVER_CALLS(CALL)                                                                \
  CALL(Init, 2000, (unsigned flags))                                                              \
  CALL(DriverGetVersion, 2020, (int* version))                                                    \
  CALL(GetErrorName, 6000, (int code, const char** text))                                         \
  CALL(GetErrorString, 6000, (int code, const char** text))                                       \
  CALL(DeviceGetCount, 2000, (int* count))                                                        \
  CALL(DeviceGet, 2000, (Ordinal * device, int ordinal))                                          \
  CALL(DeviceGetName, 2000, (char* name, int length, Ordinal device))                             \
  CALL(DeviceGetAttribute, 2000, (int* value, int attribute, Ordinal device))                     \
  CALL(DeviceTotalMem, 3020, (std::size_t * bytes, Ordinal device))                               \
  CALL(DevicePrimaryCtxRetain, 7000, (ContextHandle * context, Ordinal device))                   \
  CALL(DevicePrimaryCtxRelease, 11000, (Ordinal device))                                          \
  CALL(DevicePrimaryCtxGetState, 7000, (Ordinal device, unsigned* flags, int* active))            \
  CALL(CtxPushCurrent, 4000, (ContextHandle context))                                             \
  CALL(CtxPopCurrent, 4000, (ContextHandle * context))                                            \
  CALL(CtxGetCurrent, 4000, (ContextHandle * context))                                            \
  CALL(MemGetInfo, 3020, (std::size_t * free, std::size_t * total))                               \
  CALL(MemAlloc, 3020, (Pointer * memory, std::size_t bytes))                                     \
  CALL(MemFree, 3020, (Pointer memory))                                                           \
  CALL(MemHostAlloc, 2020, (void** memory, std::size_t bytes, unsigned flags))                    \
  CALL(MemFreeHost, 2000, (void* memory))                                                         \
  CALL(PointerGetAttributes, 7000,                                                                \
       (unsigned count, int* attributes, void** values, Pointer memory))                          \
  CALL(MemcpyHtoDAsync, 3020,                                                                     \
       (Pointer to, const void* from, std::size_t bytes, StreamHandle stream))                    \
  CALL(MemcpyDtoHAsync, 3020, (void* to, Pointer from, std::size_t bytes, StreamHandle stream))   \
  CALL(MemcpyDtoDAsync, 3020, (Pointer to, Pointer from, std::size_t bytes, StreamHandle stream)) \
  CALL(MemsetD8Async, 3020,                                                                       \
       (Pointer to, unsigned char value, std::size_t bytes, StreamHandle stream))                 \
  CALL(StreamCreate, 2000, (StreamHandle * stream, unsigned flags))                               \
  CALL(StreamDestroy, 4000, (StreamHandle stream))                                                \
  CALL(StreamWaitEvent, 3020, (StreamHandle stream, EventHandle event, unsigned flags))           \
  CALL(StreamSynchronize, 2000, (StreamHandle stream))                                            \
  CALL(StreamIsCapturing, 10000, (StreamHandle stream, int* status))                              \
  CALL(StreamGetCtx, 9020, (StreamHandle stream, ContextHandle * context))                        \
  CALL(ThreadExchangeStreamCaptureMode, 10010, (int* mode))                                       \
  CALL(EventCreate, 2000, (EventHandle * event, unsigned flags))                                  \
  CALL(EventDestroy, 4000, (EventHandle event))                                                   \
  CALL(EventRecord, 2000, (EventHandle event, StreamHandle stream))                               \
  CALL(EventQuery, 2000, (EventHandle event))                                                     \
  CALL(EventSynchronize, 2000, (EventHandle event))                                               \
  CALL(EventElapsedTime, 2000, (float* milliseconds, EventHandle start, EventHandle end))         \
  CALL(ModuleLoadData, 2000, (ModuleHandle * module, const void* image))                          \
  CALL(ModuleUnload, 2000, (ModuleHandle module))                                                 \
  CALL(ModuleGetFunction, 2000,                                                                   \
       (FunctionHandle * function, ModuleHandle module, const char* name))                        \
  CALL(LaunchKernel, 4000,                                                                        \
       (FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,               \
        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,              \
        StreamHandle stream, void** parameters, void** extra))

// Pointers to all of these functions.
struct DriverTable {
#define HOTPACK_DRIVER_MEMBER(name, version, parameters) int(*name) parameters = nullptr;
  HOTPACK_DRIVER_CALLS(HOTPACK_DRIVER_MEMBER)
#undef HOTPACK_DRIVER_MEMBER
};

}  // namespace hotpack::device
