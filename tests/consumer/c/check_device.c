/* Device batches through the shared library: the same as a host loader's where there is a device, a
 * text where there is none.
 *
 * check_device PACK     (13 records of 6 x 5 pixels and three classes; exit 0 where all is well) */
#include <hotpack/hotpack_device.h>
#include <hotpack/hotpack_dlpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int faults = 0;

#define EXPECT(condition)                                                              \
  do {                                                                                 \
    if (!(condition)) ++faults, printf("line %d: not so: %s\n", __LINE__, #condition); \
  } while (0)

enum { BATCH = 4, STEPS = 3, HEIGHT = 5, WIDTH = 6 };

static hotpack_loader_options batch_options(void) {
  hotpack_loader_options options;
  EXPECT(hotpack_loader_options_init(&options, sizeof options) == HOTPACK_OK);
  options.global_batch_size = BATCH;
  options.seed = 7;
  options.image_dtype = HOTPACK_DTYPE_F16;
  options.image_layout = HOTPACK_CHANNELS_FIRST;
  return options;
}

/* Every handle is there after a failure and describes it. */
static int check_without_device(const hotpack_dataset* dataset, const char* reason) {
  hotpack_device_loader* loader = NULL;
  EXPECT(reason[0] != '\0');
  EXPECT(hotpack_device_loader_open(dataset, NULL, &loader) == HOTPACK_ERROR_USAGE);
  EXPECT(strcmp(hotpack_device_loader_error(loader), reason) == 0);
  EXPECT(hotpack_device_loader_batch_size(loader) == 0);
  hotpack_device_loader_close(loader);
  printf("no device: %s\n", reason);
  return faults != 0;
}

static void check_cuda(const hotpack_cuda* cuda) {
  hotpack_cuda_info info;
  hotpack_cuda_device_info device;
  info.struct_size = sizeof info;
  device.struct_size = sizeof device;
  EXPECT(hotpack_cuda_describe(cuda, &info) == HOTPACK_OK);
  EXPECT(info.devices > 0 && info.driver_version >= 12000 && info.kernels[0] != '\0');
  EXPECT(hotpack_cuda_device(cuda, 0, &device) == HOTPACK_OK);
  EXPECT(device.ordinal == 0 && device.memory_bytes > 0 && device.name[0] != '\0');
  EXPECT(hotpack_cuda_device(cuda, info.devices, &device) == HOTPACK_NOT_FOUND);
}

/* The image as a tensor for whom nobody has to wait; the batch goes before it. */
static void check_tensor(hotpack_device_batch* batch, const hotpack_device_part_info* part) {
  DLManagedTensorVersioned* tensor = NULL;
  DLManagedTensor* legacy = NULL;
  EXPECT(hotpack_device_batch_dlpack(batch, 0, HOTPACK_FIELD_IMAGE, 0, &tensor) ==
             HOTPACK_ERROR_USAGE &&
         tensor == NULL);
  EXPECT(hotpack_device_batch_dlpack(batch, 0, HOTPACK_FIELD_IMAGE, 1, &tensor) == HOTPACK_OK);
  EXPECT(hotpack_device_batch_dlpack_legacy(batch, 0, HOTPACK_FIELD_LABEL, 1, &legacy) ==
         HOTPACK_OK);
  hotpack_device_batch_release(batch);
  if (tensor == NULL || legacy == NULL) exit(1);
  EXPECT(tensor->version.major == 1 && tensor->dl_tensor.device.device_type == kDLCUDA);
  EXPECT(tensor->dl_tensor.data == part->image.data && tensor->dl_tensor.ndim == 4 &&
         tensor->dl_tensor.shape[2] == HEIGHT);
  EXPECT(tensor->dl_tensor.strides[1] == HEIGHT * WIDTH && tensor->dl_tensor.strides[3] == 1);
  EXPECT(tensor->dl_tensor.dtype.code == kDLFloat && tensor->dl_tensor.dtype.bits == 16);
  EXPECT(legacy->dl_tensor.data == part->label.data && legacy->dl_tensor.ndim == 3);
  tensor->deleter(tensor);
  legacy->deleter(legacy);
}

/* A step of both loaders; what is on the device is examined by other tests. */
static void check_step(hotpack_loader* host, hotpack_device_loader* device) {
  void* const streams[] = {NULL};
  hotpack_batch* expected = NULL;
  hotpack_device_batch* batch = NULL;
  hotpack_batch_info known;
  hotpack_device_batch_info info;
  hotpack_device_part_info part;
  EXPECT(hotpack_loader_next(host, &expected) == HOTPACK_OK);
  EXPECT(hotpack_device_loader_next(device, streams, 1, &batch) == HOTPACK_OK);
  if (expected == NULL || batch == NULL) exit(1);
  known.struct_size = sizeof known;
  info.struct_size = sizeof info;
  part.struct_size = sizeof part;
  EXPECT(hotpack_batch_describe(expected, &known) == HOTPACK_OK);
  EXPECT(hotpack_device_batch_describe(batch, &info) == HOTPACK_OK && info.parts == 1);
  EXPECT(info.epoch == known.epoch && info.step == known.step && info.batch_size == BATCH &&
         info.num_valid == known.num_valid);
  EXPECT(hotpack_device_batch_part(batch, 0, &part) == HOTPACK_OK && part.batch_size == BATCH &&
         part.device == 0);
  EXPECT(part.image.bytes == known.image.bytes &&
         memcmp(part.image.shape, known.image.shape, sizeof known.image.shape) == 0);
  EXPECT(part.label.bytes == known.label.bytes && part.label.dtype == known.label.dtype);
  EXPECT(memcmp(hotpack_device_batch_indices(batch), hotpack_batch_indices(expected),
                BATCH * sizeof(int64_t)) == 0);
  EXPECT(strcmp(hotpack_device_batch_key(batch, 0), hotpack_batch_key(expected, 0)) == 0);
  hotpack_batch_release(expected);
  check_tensor(batch, &part);
}

static void check_loaders(const hotpack_dataset* dataset) {
  static const int32_t devices[] = {0};
  const hotpack_loader_options batches = batch_options();
  hotpack_device_loader_options options;
  hotpack_loader* host = NULL;
  hotpack_device_loader* device = NULL;
  hotpack_device_batch* batch = NULL;
  void* const streams[] = {NULL};
  EXPECT(hotpack_device_loader_options_init(&options, sizeof options) == HOTPACK_OK);
  options.loader = &batches;
  options.devices = devices;
  options.device_count = 1;
  EXPECT(hotpack_loader_open(dataset, &batches, &host) == HOTPACK_OK);
  if (hotpack_device_loader_open(dataset, &options, &device) < 0) {
    printf("%s\n", hotpack_device_loader_error(device));
    exit(1);
  }
  EXPECT(hotpack_device_loader_steps_per_epoch(device) == STEPS &&
         hotpack_device_loader_parts(device) == 1);
  EXPECT(hotpack_device_loader_image_batch_bytes(device, 0) ==
         hotpack_loader_image_batch_bytes(host));
  for (int step = 0; step < STEPS; ++step) check_step(host, device);
  EXPECT(hotpack_device_loader_next(device, streams, 1, &batch) == HOTPACK_END_OF_EPOCH &&
         batch == NULL);
  hotpack_loader_close(host);
  hotpack_device_loader_close(device);
}

int main(int argc, char* argv[]) {
  hotpack_dataset* dataset = NULL;
  hotpack_cuda* cuda = NULL;
  if (argc != 2) return 2;
  EXPECT(hotpack_dataset_open(argv[1], &dataset) == HOTPACK_OK);
  if (hotpack_cuda_query(&cuda) < 0) {
    const int failed = check_without_device(dataset, hotpack_cuda_error(cuda));
    hotpack_cuda_close(cuda);
    hotpack_dataset_close(dataset);
    return failed;
  }
  check_cuda(cuda);
  hotpack_cuda_close(cuda);
  check_loaders(dataset);
  hotpack_dataset_close(dataset);
  printf("%d faults\n", faults);
  return faults != 0;
}
