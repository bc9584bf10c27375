/* Batches in the memory of a CUDA device: images as normalized f16 NCHW, labels as class ids.
 * Building it does not require CUDA. */
#include <hotpack/hotpack_device.h>
#include <stdio.h>

static int fail(const char* text) {
  fprintf(stderr, "%s\n", text);
  return 1;
}

/* Your model learns here. Kernels that you queue on `stream` see image and label, which are
 * pointers to device memory. */
static void train(const void* image, const void* label, void* stream) {
  (void)image, (void)label, (void)stream;
}

int main(int argc, char* argv[]) {
  static const float mean[] = {0.485f, 0.456f, 0.406f}, std[] = {0.229f, 0.224f, 0.225f};
  void* const stream = NULL; /* a cudaStream_t of the program; here the default stream */
  hotpack_cuda* cuda = NULL;
  hotpack_dataset* dataset = NULL;
  hotpack_device_loader* loader = NULL;
  hotpack_device_batch* batch = NULL;
  hotpack_loader_options batches;
  hotpack_device_loader_options options;
  hotpack_device_batch_info info;
  hotpack_status status = HOTPACK_OK;
  if (hotpack_cuda_query(&cuda) < 0) {
    /* no driver or no device: hotpack_loader_open takes the same options */
    fprintf(stderr, "%s\n", hotpack_cuda_error(cuda));
    hotpack_cuda_close(cuda);
    return 1;
  }
  hotpack_cuda_close(cuda);
  if (hotpack_dataset_open(argc > 1 ? argv[1] : "packed/train", &dataset) < 0)
    return fail(hotpack_dataset_error(dataset));

  hotpack_loader_options_init(&batches, sizeof batches);
  batches.global_batch_size = 2;
  batches.seed = 7;
  batches.image_dtype = HOTPACK_DTYPE_F16;
  batches.image_layout = HOTPACK_CHANNELS_FIRST;
  batches.image_mean = mean;
  batches.image_std = std;
  batches.image_channels = 3;
  hotpack_device_loader_options_init(&options, sizeof options);
  options.loader = &batches;
  options.residency = HOTPACK_RESIDENCY_AUTO; /* records stay on the device if they fit */
  if (hotpack_device_loader_open(dataset, &options, &loader) < 0)
    return fail(hotpack_device_loader_error(loader));

  info.struct_size = sizeof info;
  for (int epoch = 0; epoch < 2; ++epoch) {
    while ((status = hotpack_device_loader_next(loader, stream, &batch)) ==
           HOTPACK_OK) { /* the work is queued, not done */
      hotpack_device_batch_describe(
          batch, &info); /* info.image.data: halves [N,3,H,W], info.label.data: bytes [N,H,W] */
      train(info.image.data, info.label.data, stream);
      printf("epoch %d, step %d, first sample %s\n", (int)info.epoch, (int)info.step,
             hotpack_device_batch_key(batch, 0));
      hotpack_device_batch_release(batch); /* its memory is freed after the work on the stream */
    }
    if (status != HOTPACK_END_OF_EPOCH) return fail(hotpack_device_loader_error(loader));
  }
  hotpack_device_loader_close(loader);
  hotpack_dataset_close(dataset);
  return 0;
}
