// The functions of the CUDA driver that hotpack calls. CUDA's headers are not used, so that every
// build has the same code; where a toolkit is installed, tests compare these with its cuda.h.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUctx_st;
struct CUevent_st;
struct CUfunc_st;
struct CUmemPoolHandle_st;
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
using PoolHandle = CUmemPoolHandle_st*;

// CUmemPoolProps: memory that is allocated on a device and not shared with other processes.
struct PoolProperties {
  int allocation = 1;  // CU_MEM_ALLOCATION_TYPE_PINNED
  int handles = 0;
  int location = 1;  // CU_MEM_LOCATION_TYPE_DEVICE
  int ordinal = 0;
  void* security = nullptr;
  unsigned char reserved[64] = {};
};
static_assert(sizeof(PoolProperties) == 88);

// Values of CUresult.
namespace code {
inline constexpr int kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kNotInitialized = 3,
                     kDeinitialized = 4, kStubLibrary = 34, kNoDevice = 100, kInvalidDevice = 101,
                     kInvalidImage = 200, kInvalidContext = 201, kNoBinaryForGpu = 209,
                     kInvalidPtx = 218, kUnsupportedPtxVersion = 222, kInvalidHandle = 400,
                     kNotFound = 500, kNotReady = 600, kIllegalAddress = 700, kLaunchFailed = 719,
                     kNotSupported = 801, kSystemNotReady = 802, kSystemDriverMismatch = 803,
                     kCompatNotSupported = 804, kStreamCaptureUnsupported = 900,
                     kStreamCaptureImplicit = 906, kCapturedEvent = 907, kUnknown = 999;
}  // namespace code

// Flags of streams (CU_STREAM_…), events (CU_EVENT_…) and pinned memory (CU_MEMHOSTALLOC_…).
inline constexpr unsigned kStreamNonBlocking = 1, kEventDisableTiming = 2, kEventBlockingSync = 1,
                          kHostAllocPortable = 1;
// CUdevice_attribute, CUmemPool_attribute, CUpointer_attribute, CUmemorytype.
inline constexpr int kAttributeMajor = 75, kAttributeMinor = 76, kAttributeMemoryPools = 115;
inline constexpr int kPoolReleaseThreshold = 4;
inline constexpr int kPointerMemoryType = 2, kPointerManaged = 8, kPointerOrdinal = 9;
inline constexpr int kMemoryHost = 1, kMemoryDevice = 2;
// CUstreamCaptureStatus, CUstreamCaptureMode.
inline constexpr int kCaptureNone = 0, kCaptureActive = 1, kCaptureInvalidated = 2;
inline constexpr int kCaptureModeRelaxed = 2;
// NOLINTBEGIN(performance-no-int-to-ptr): the driver has integers for these.
inline const StreamHandle kLegacyStream = reinterpret_cast<StreamHandle>(std::uintptr_t{1});
inline const StreamHandle kPerThreadStream = reinterpret_cast<StreamHandle>(std::uintptr_t{2});
template <class T>
T* device_pointer(Pointer address) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
}
// NOLINTEND(performance-no-int-to-ptr)

// CALL(name, version, parameters) declares the driver's function cu<name> in the form that it has
// since this CUDA version (the number that cuGetProcAddress takes). Each function returns a
// CUresult.
#define HOTPACK_DRIVER_CALLS(CALL)                                                            \
  CALL(Init, 2000, (unsigned))                                                                \
  CALL(DriverGetVersion, 2020, (int*))                                                        \
  CALL(GetErrorName, 6000, (int, const char**))                                               \
  CALL(GetErrorString, 6000, (int, const char**))                                             \
  CALL(DeviceGetCount, 2000, (int*))                                                          \
  CALL(DeviceGet, 2000, (Ordinal*, int))                                                      \
  CALL(DeviceGetName, 2000, (char*, int, Ordinal))                                            \
  CALL(DeviceGetAttribute, 2000, (int*, int, Ordinal))                                        \
  CALL(DeviceTotalMem, 3020, (std::size_t*, Ordinal))                                         \
  CALL(DevicePrimaryCtxRetain, 7000, (ContextHandle*, Ordinal))                               \
  CALL(DevicePrimaryCtxRelease, 11000, (Ordinal))                                             \
  CALL(DevicePrimaryCtxGetState, 7000, (Ordinal, unsigned*, int*))                            \
  CALL(CtxPushCurrent, 4000, (ContextHandle))                                                 \
  CALL(CtxPopCurrent, 4000, (ContextHandle*))                                                 \
  CALL(MemGetInfo, 3020, (std::size_t*, std::size_t*))                                        \
  CALL(MemAlloc, 3020, (Pointer*, std::size_t))                                               \
  CALL(MemFree, 3020, (Pointer))                                                              \
  CALL(MemPoolCreate, 11020, (PoolHandle*, const PoolProperties*))                            \
  CALL(MemPoolSetAttribute, 11020, (PoolHandle, int, void*))                                  \
  CALL(MemPoolDestroy, 11020, (PoolHandle))                                                   \
  CALL(MemAllocFromPoolAsync, 11020, (Pointer*, std::size_t, PoolHandle, StreamHandle))       \
  CALL(MemFreeAsync, 11020, (Pointer, StreamHandle))                                          \
  CALL(MemHostAlloc, 2020, (void**, std::size_t, unsigned))                                   \
  CALL(MemFreeHost, 2000, (void*))                                                            \
  CALL(PointerGetAttributes, 7000, (unsigned, int*, void**, Pointer))                         \
  CALL(MemcpyHtoDAsync, 3020, (Pointer, const void*, std::size_t, StreamHandle))              \
  CALL(MemcpyDtoHAsync, 3020, (void*, Pointer, std::size_t, StreamHandle))                    \
  CALL(MemcpyDtoDAsync, 3020, (Pointer, Pointer, std::size_t, StreamHandle))                  \
  CALL(MemsetD8Async, 3020, (Pointer, unsigned char, std::size_t, StreamHandle))              \
  CALL(StreamCreate, 2000, (StreamHandle*, unsigned))                                         \
  CALL(StreamDestroy, 4000, (StreamHandle))                                                   \
  CALL(StreamWaitEvent, 3020, (StreamHandle, EventHandle, unsigned))                          \
  CALL(StreamSynchronize, 2000, (StreamHandle))                                               \
  CALL(StreamIsCapturing, 10000, (StreamHandle, int*))                                        \
  CALL(StreamGetCtx, 9020, (StreamHandle, ContextHandle*))                                    \
  CALL(ThreadExchangeStreamCaptureMode, 10010, (int*))                                        \
  CALL(EventCreate, 2000, (EventHandle*, unsigned))                                           \
  CALL(EventDestroy, 4000, (EventHandle))                                                     \
  CALL(EventRecord, 2000, (EventHandle, StreamHandle))                                        \
  CALL(EventQuery, 2000, (EventHandle))                                                       \
  CALL(EventSynchronize, 2000, (EventHandle))                                                 \
  CALL(ModuleLoadData, 2000, (ModuleHandle*, const void*))                                    \
  CALL(ModuleUnload, 2000, (ModuleHandle))                                                    \
  CALL(ModuleGetFunction, 2000, (FunctionHandle*, ModuleHandle, const char*))                 \
  CALL(LaunchKernel, 4000,                                                                    \
       (FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
        StreamHandle, void**, void**))

// Pointers to all of these functions.
struct DriverTable {
#define HOTPACK_DRIVER_MEMBER(name, version, parameters) int(*name) parameters = nullptr;
  HOTPACK_DRIVER_CALLS(HOTPACK_DRIVER_MEMBER)
#undef HOTPACK_DRIVER_MEMBER
};

}  // namespace hotpack::device
