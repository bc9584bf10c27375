/* The training loop in C: two epochs, images as normalized f32 NCHW, labels as one-hot f32 NCHW. */
#include <hotpack/hotpack.h>
#include <stdio.h>

static int fail(const char* text) {
  fprintf(stderr, "%s\n", text);
  return 1;
}

int main(int argc, char* argv[]) {
  static const float mean[] = {0.485f, 0.456f, 0.406f}, std[] = {0.229f, 0.224f, 0.225f};
  hotpack_dataset* dataset = NULL;
  hotpack_loader* loader = NULL;
  hotpack_batch* batch = NULL;
  hotpack_loader_options options;
  hotpack_batch_info info;
  hotpack_status status = HOTPACK_OK;
  if (hotpack_dataset_open(argc > 1 ? argv[1] : "packed/train", &dataset) < 0)
    return fail(hotpack_dataset_error(dataset));

  hotpack_loader_options_init(&options, sizeof options);
  options.global_batch_size = 2;
  options.seed = 7;
  options.image_dtype = HOTPACK_DTYPE_F32;
  options.image_layout = HOTPACK_CHANNELS_FIRST;
  options.image_mean = mean;
  options.image_std = std;
  options.image_channels = 3;
  options.label_form = HOTPACK_FORM_ONE_HOT;
  options.label_dtype = HOTPACK_DTYPE_F32;
  options.label_layout = HOTPACK_CHANNELS_FIRST;
  if (hotpack_loader_open(dataset, &options, &loader) < 0)
    return fail(hotpack_loader_error(loader));

  info.struct_size = sizeof info;
  for (int epoch = 0; epoch < 2; ++epoch) {
    while ((status = hotpack_loader_next(loader, &batch)) == HOTPACK_OK) {
      hotpack_batch_describe(
          batch, &info); /* info.image.data: floats [N,3,H,W], info.label.data: floats [N,C,H,W] */
      printf("epoch %d, step %d, first sample %s\n", (int)info.epoch, (int)info.step,
             hotpack_batch_key(batch, 0));
      hotpack_batch_release(batch);
    }
    if (status != HOTPACK_END_OF_EPOCH) return fail(hotpack_loader_error(loader));
  }
  hotpack_loader_close(loader);
  hotpack_dataset_close(dataset);
  return 0;
}
