/* A program whose dlpack.h came first, here a stand-in with other fields: hotpack_dlpack.h adds
 * nothing to it. */
#include <stdint.h>

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 0
typedef struct {
  int32_t its_own;
} DLTensor;
typedef struct DLManagedTensor {
  DLTensor dl_tensor;
} DLManagedTensor;
typedef struct DLManagedTensorVersioned {
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

#include <hotpack/hotpack_device.h>
#include <hotpack/hotpack_dlpack.h>

int32_t dlpack_first(const hotpack_device_batch* batch);

int32_t dlpack_first(const hotpack_device_batch* batch) {
  DLManagedTensorVersioned* tensor = NULL;
  return hotpack_device_batch_dlpack(batch, HOTPACK_FIELD_IMAGE, 1, &tensor) == HOTPACK_OK
             ? tensor->dl_tensor.its_own
             : 0;
}
