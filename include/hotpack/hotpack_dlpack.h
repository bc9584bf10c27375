/* The structures of DLPack 1.x, binary compatible: tensors that libraries exchange without a copy.
 *
 * For programs without the official dlpack.h. Included after an old official header, this one
 * adds only what is missing there; never include it before the official one. hotpack_device.h
 * needs neither.
 * Ownership: the consumer of a managed tensor calls its deleter once, from any thread. Plain
 * declarations; nothing here fails.
 */
#ifndef HOTPACK_DLPACK_H
#define HOTPACK_DLPACK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if !defined(DLPACK_VERSION) && !defined(DLPACK_MAJOR_VERSION)

/* Kinds of memory. The official list is longer; hotpack uses these. */
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3 /* pinned */
} DLDeviceType;

typedef struct {
  DLDeviceType device_type;
  int32_t device_id; /* the ordinal of a CUDA device; 0 for host memory */
} DLDevice;

typedef enum { kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLBfloat = 4 } DLDataTypeCode;

typedef struct {
  uint8_t code; /* a DLDataTypeCode */
  uint8_t bits; /* per element */
  uint16_t lanes;
} DLDataType;

typedef struct {
  void* data; /* in memory of `device` */
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides; /* in elements */
  uint64_t byte_offset;
} DLTensor;

/* The form before DLPack 1.0. */
typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;

#endif

#if !defined(DLPACK_MAJOR_VERSION)

typedef struct {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;

#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)

/* Another major version may have other fields after `flags`. */
typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

#endif

#ifdef __cplusplus
}
#endif

#endif
