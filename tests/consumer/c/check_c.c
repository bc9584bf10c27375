/* The C interface from C, against the installed shared library: numbers, resume, texts of errors. Prints what is wrong; exit 0 when nothing
 * is.
 *
 * check_c PACK      (what make_pack wrote: 13 samples of 6 x 5 pixels, 3 classes) */
#include <hotpack/hotpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int faults = 0;

static void expect(int good, const char* what) {
  if (good) return;
  printf("not so: %s\n", what);
  ++faults;
}
#define EXPECT(condition) expect(condition, #condition)

enum { SAMPLES = 13, BATCH = 2, STEPS = 6, CLASSES = 3, PIXELS = 6 * 5 };

static hotpack_loader* open_loader(const hotpack_dataset* dataset, const char* resume) {
  hotpack_loader_options options;
  hotpack_loader* loader = NULL;
  EXPECT(hotpack_loader_options_init(&options, sizeof options) == HOTPACK_OK);
  options.global_batch = BATCH;
  options.image_type = HOTPACK_TYPE_F32;
  options.image_order = HOTPACK_CHANNELS_FIRST;
  options.label_form = HOTPACK_FORM_ONE_HOT;
  options.label_order = HOTPACK_CHANNELS_FIRST;
  options.resume = resume;
  EXPECT(hotpack_loader_open(dataset, &options, &loader) == HOTPACK_OK);
  EXPECT(strcmp(hotpack_loader_error(loader), "") == 0);
  return loader;
}

static void check_dataset(const hotpack_dataset* dataset) {
  hotpack_dataset_info info;
  uint64_t number = 99;
  info.struct_size = sizeof info;
  EXPECT(hotpack_dataset_describe(dataset, &info) == HOTPACK_OK);
  EXPECT(info.records == SAMPLES && info.classes == CLASSES && info.shards == 7);
  EXPECT(info.image_width == 6 && info.image_height == 5 && info.image_channels == 3);
  EXPECT(info.label_kind == HOTPACK_LABEL_PIXEL && info.label_storage == HOTPACK_STORAGE_BITS);
  EXPECT(hotpack_dataset_find(dataset, "street/sample 0003", &number) == HOTPACK_OK && number == 3);
  EXPECT(hotpack_dataset_find(dataset, "elsewhere", &number) == HOTPACK_NOT_FOUND);
  EXPECT(hotpack_dataset_class_name(dataset, 0)[0] != '\0');
}

/* One row of a batch against its record as stored: the image divided by 255, the label's bits as elements. */
static void check_row(const hotpack_dataset* dataset, const hotpack_batch* batch, const hotpack_batch_info* info, size_t row) {
  const uint64_t sample = (uint64_t)hotpack_batch_samples(batch)[row];
  const float* image = (const float*)info->image.data + row * 3 * PIXELS;
  const uint8_t* label = (const uint8_t*)info->label.data + row * CLASSES * PIXELS;
  uint8_t pixels[3 * PIXELS], bits[PIXELS];
  char key[64];
  EXPECT(hotpack_dataset_read_image(dataset, sample, pixels, sizeof pixels) == HOTPACK_OK);
  EXPECT(hotpack_dataset_read_label(dataset, sample, bits, sizeof bits) == HOTPACK_OK);
  EXPECT(hotpack_dataset_key(dataset, sample, key, sizeof key, NULL) == HOTPACK_OK);
  EXPECT(strcmp(key, hotpack_batch_key(batch, row)) == 0);
  for (size_t pixel = 0; pixel < PIXELS; ++pixel) {
    for (size_t c = 0; c < 3; ++c) EXPECT(image[c * PIXELS + pixel] == (float)pixels[pixel * 3 + c] / 255.0f);
    for (size_t c = 0; c < CLASSES; ++c) EXPECT(label[c * PIXELS + pixel] == ((bits[pixel] >> c) & 1));
  }
}

static void check_batch(const hotpack_dataset* dataset, const hotpack_batch* batch, uint64_t epoch, uint64_t step) {
  hotpack_batch_info info;
  info.struct_size = sizeof info;
  EXPECT(hotpack_batch_describe(batch, &info) == HOTPACK_OK);
  EXPECT(info.epoch == epoch && info.step == step && info.rows == BATCH && info.valid == BATCH);
  EXPECT(info.image.type == HOTPACK_TYPE_F32 && info.image.dimensions == 4 && info.image.shape[1] == 3);
  EXPECT(info.label.type == HOTPACK_TYPE_U8 && info.label.dimensions == 4 && info.label.shape[1] == CLASSES);
  EXPECT(hotpack_batch_boxes(batch)[0].width == 6 && hotpack_batch_boxes(batch)[0].height == 5);
  for (size_t row = 0; row < BATCH; ++row) check_row(dataset, batch, &info, row);
}

/* Two epochs; `order` becomes the samples of each step. */
static void check_epochs(const hotpack_dataset* dataset, int64_t order[2 * STEPS][BATCH]) {
  hotpack_loader* loader = open_loader(dataset, NULL);
  hotpack_batch* batch = NULL;
  EXPECT(hotpack_loader_steps_per_epoch(loader) == STEPS);
  for (uint64_t epoch = 0; epoch < 2; ++epoch) {
    for (uint64_t step = 0; step < STEPS; ++step) {
      EXPECT(hotpack_loader_next(loader, &batch) == HOTPACK_OK);
      if (batch == NULL) exit(1);
      check_batch(dataset, batch, epoch, step);
      memcpy(order[epoch * STEPS + step], hotpack_batch_samples(batch), sizeof order[0]);
      hotpack_batch_release(batch);
    }
    EXPECT(hotpack_loader_next(loader, &batch) == HOTPACK_END_OF_EPOCH && batch == NULL);
  }
  hotpack_loader_close(loader);
}

/* A run that stops after each step, goes on in another loader, and copies its batches. */
static void check_resume(const hotpack_dataset* dataset, int64_t order[2 * STEPS][BATCH]) {
  char state[1024] = "";
  for (int step = 0; step < 2 * STEPS; ++step) {
    float image[BATCH * 3 * PIXELS];
    int64_t samples[BATCH];
    hotpack_batch_buffers buffers = {sizeof buffers, image, sizeof image, NULL, 0, samples, NULL};
    hotpack_loader* loader = open_loader(dataset, state[0] == '\0' ? NULL : state);
    hotpack_status status = hotpack_loader_next_into(loader, &buffers, NULL);
    if (status == HOTPACK_END_OF_EPOCH) status = hotpack_loader_next_into(loader, &buffers, NULL);
    EXPECT(status == HOTPACK_OK);
    EXPECT(memcmp(samples, order[step], sizeof samples) == 0);
    EXPECT(hotpack_loader_state(loader, state, sizeof state, NULL) == HOTPACK_OK);
    hotpack_loader_close(loader);
  }
}

static void check_errors(const hotpack_dataset* dataset) {
  hotpack_dataset* none = NULL;
  hotpack_loader* loader = NULL;
  hotpack_loader_options options;
  EXPECT(hotpack_dataset_open("/no/such/pack", &none) == HOTPACK_ERROR_IO);
  EXPECT(strstr(hotpack_dataset_error(none), "/no/such/pack") != NULL);
  hotpack_dataset_close(none);
  EXPECT(hotpack_loader_options_init(&options, sizeof options) == HOTPACK_OK);
  options.global_batch = SAMPLES + 1;
  EXPECT(hotpack_loader_open(dataset, &options, &loader) == HOTPACK_ERROR_USAGE);
  EXPECT(hotpack_loader_error(loader)[0] != '\0');
  hotpack_loader_close(loader);
  EXPECT(hotpack_loader_open(NULL, NULL, NULL) == HOTPACK_ERROR_USAGE);
}

int main(int argc, char* argv[]) {
  int64_t order[2 * STEPS][BATCH] = {{0}};
  hotpack_dataset* dataset = NULL;
  if (argc != 2) return 2;
  EXPECT(hotpack_abi_version() == HOTPACK_ABI_VERSION);
  EXPECT(hotpack_dataset_open(argv[1], &dataset) == HOTPACK_OK);
  check_dataset(dataset);
  check_epochs(dataset, order);
  check_resume(dataset, order);
  check_errors(dataset);
  hotpack_dataset_close(dataset);
  printf("%d faults\n", faults);
  return faults != 0;
}
