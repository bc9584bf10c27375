/* The C interface from C, against the installed shared library: numbers, resume, options, texts of
 * errors. Prints what is wrong; exit 0 when nothing is.
 *
 * check_c PACK MIXED      (what make_pack wrote: 13 samples of 6 x 5 pixels, 3 classes; the same of
 * 4 … 6 x 3 … 4 pixels) */
#include <hotpack/hotpack.h>
#include <stddef.h>
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
  options.global_batch_size = BATCH;
  options.image_dtype = HOTPACK_DTYPE_F32;
  options.image_layout = HOTPACK_CHANNELS_FIRST;
  options.label_form = HOTPACK_FORM_ONE_HOT;
  options.label_layout = HOTPACK_CHANNELS_FIRST;
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
  EXPECT(info.label_scope == HOTPACK_LABEL_PIXEL && info.label_storage == HOTPACK_STORAGE_BITS);
  EXPECT(hotpack_dataset_find(dataset, "street/sample 0003", &number) == HOTPACK_OK && number == 3);
  EXPECT(hotpack_dataset_find(dataset, "elsewhere", &number) == HOTPACK_NOT_FOUND);
  EXPECT(hotpack_dataset_class_name(dataset, 0)[0] != '\0');
}

/* One row of a batch against its record as stored: the image divided by 255, the label's bits as
 * elements. */
static void check_row(const hotpack_dataset* dataset, const hotpack_batch* batch,
                      const hotpack_batch_info* info, size_t row) {
  const uint64_t sample = (uint64_t)hotpack_batch_indices(batch)[row];
  const float* image = (const float*)info->image.data + row * 3 * PIXELS;
  const uint8_t* label = (const uint8_t*)info->label.data + row * CLASSES * PIXELS;
  uint8_t pixels[3 * PIXELS], bits[PIXELS];
  char key[64];
  EXPECT(hotpack_dataset_read_image(dataset, sample, pixels, sizeof pixels) == HOTPACK_OK);
  EXPECT(hotpack_dataset_read_label(dataset, sample, bits, sizeof bits) == HOTPACK_OK);
  EXPECT(hotpack_dataset_key(dataset, sample, key, sizeof key, NULL) == HOTPACK_OK);
  EXPECT(strcmp(key, hotpack_batch_key(batch, row)) == 0);
  for (size_t pixel = 0; pixel < PIXELS; ++pixel) {
    for (size_t c = 0; c < 3; ++c)
      EXPECT(image[c * PIXELS + pixel] == (float)pixels[pixel * 3 + c] / 255.0f);
    for (size_t c = 0; c < CLASSES; ++c)
      EXPECT(label[c * PIXELS + pixel] == ((bits[pixel] >> c) & 1));
  }
}

static void check_batch(const hotpack_dataset* dataset, const hotpack_batch* batch, uint64_t epoch,
                        uint64_t step) {
  hotpack_batch_info info;
  info.struct_size = sizeof info;
  EXPECT(hotpack_batch_describe(batch, &info) == HOTPACK_OK);
  EXPECT(info.epoch == epoch && info.step == step && info.batch_size == BATCH &&
         info.num_valid == BATCH);
  EXPECT(info.image.dtype == HOTPACK_DTYPE_F32 && info.image.dimensions == 4 &&
         info.image.shape[1] == 3);
  EXPECT(info.label.dtype == HOTPACK_DTYPE_U8 && info.label.dimensions == 4 &&
         info.label.shape[1] == CLASSES);
  EXPECT(hotpack_batch_crops(batch)[0].width == 6 && hotpack_batch_crops(batch)[0].height == 5);
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
      memcpy(order[epoch * STEPS + step], hotpack_batch_indices(batch), sizeof order[0]);
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
  options.global_batch_size = SAMPLES + 1;
  EXPECT(hotpack_loader_open(dataset, &options, &loader) == HOTPACK_ERROR_USAGE);
  EXPECT(hotpack_loader_error(loader)[0] != '\0');
  hotpack_loader_close(loader);
  EXPECT(hotpack_loader_open(NULL, NULL, NULL) == HOTPACK_ERROR_USAGE);
}

/* The state's text; it lives until the next call. */
static const char* state_of(hotpack_loader* loader) {
  static char text[1024];
  EXPECT(hotpack_loader_state(loader, text, sizeof text, NULL) == HOTPACK_OK);
  return text;
}

/* The next batch is the one of `step` in `order`, which has the steps of all epochs. */
static void expect_step(hotpack_loader* loader, int64_t order[2 * STEPS][BATCH], size_t step) {
  hotpack_batch* batch = NULL;
  EXPECT(hotpack_loader_next_timeout(loader, 60000, &batch) == HOTPACK_OK);
  if (batch == NULL) exit(1);
  EXPECT(memcmp(hotpack_batch_indices(batch), order[step], sizeof order[step]) == 0);
  hotpack_batch_release(batch);
}

/* Seek, restore and cancel of one loader. */
static void check_moves(const hotpack_dataset* dataset, int64_t order[2 * STEPS][BATCH]) {
  char state[1024];
  hotpack_loader* loader = open_loader(dataset, NULL);
  hotpack_batch* batch = NULL;
  EXPECT(hotpack_loader_seek(loader, 1, 2) == HOTPACK_OK);
  expect_step(loader, order, STEPS + 2);
  strcpy(state, state_of(loader));
  EXPECT(hotpack_loader_seek(loader, 0, 4) == HOTPACK_OK);
  expect_step(loader, order, 4);
  EXPECT(hotpack_loader_restore(loader, state) == HOTPACK_OK);
  expect_step(loader, order, STEPS + 3);
  hotpack_loader_cancel(loader);
  EXPECT(hotpack_loader_next(loader, &batch) == HOTPACK_ERROR_CANCELLED && batch == NULL);
  EXPECT(hotpack_loader_restore(loader, state) == HOTPACK_OK);
  expect_step(loader, order, STEPS + 3);
  EXPECT(hotpack_loader_seek(loader, 0, STEPS + 1) == HOTPACK_ERROR_USAGE);
  EXPECT(hotpack_loader_next_timeout(loader, -1, &batch) == HOTPACK_ERROR_USAGE && batch == NULL);
  hotpack_loader_close(loader);
}

/* Slot memory with a count of its blocks; slots are allocated by one thread, and freed when nothing
 * else runs. */
static void* give(void* user, size_t bytes) {
  ++*(int*)user;
  return aligned_alloc(64, (bytes + 63) / 64 * 64);
}
static void take(void* user, void* memory, size_t bytes) {
  (void)bytes;
  --*(int*)user;
  free(memory);
}

/* A random crop in memory of the caller: each row is the window that its box tells. */
static void check_crop(const hotpack_dataset* dataset) {
  enum { WIDTH = 4, HEIGHT = 3 };
  int blocks = 0;
  hotpack_loader_options options;
  hotpack_loader* loader = NULL;
  hotpack_batch* batch = NULL;
  hotpack_batch_info info;
  hotpack_loader_options_init(&options, sizeof options);
  options.global_batch_size = BATCH;
  options.crop = HOTPACK_CROP_RANDOM;
  options.crop_width = WIDTH;
  options.crop_height = HEIGHT;
  options.allocate = give;
  options.free = take;
  options.allocator_user = &blocks;
  EXPECT(hotpack_loader_open(dataset, &options, &loader) == HOTPACK_OK);
  EXPECT(blocks == 3);
  EXPECT(hotpack_loader_next(loader, &batch) == HOTPACK_OK);
  hotpack_loader_close(loader);
  if (batch == NULL) exit(1);
  EXPECT(blocks > 0);
  info.struct_size = sizeof info;
  EXPECT(hotpack_batch_describe(batch, &info) == HOTPACK_OK);
  EXPECT(info.image.shape[1] == HEIGHT && info.image.shape[2] == WIDTH &&
         info.label.shape[1] == HEIGHT);
  for (size_t row = 0; row < BATCH; ++row) {
    const hotpack_crop box = hotpack_batch_crops(batch)[row];
    const uint8_t* image = (const uint8_t*)info.image.data + row * HEIGHT * WIDTH * 3;
    uint8_t pixels[3 * PIXELS];
    EXPECT(box.width == WIDTH && box.height == HEIGHT && box.x >= 0 && box.x <= 2 && box.y >= 0 &&
           box.y <= 2);
    EXPECT(hotpack_dataset_read_image(dataset, (uint64_t)hotpack_batch_indices(batch)[row], pixels,
                                      sizeof pixels) == HOTPACK_OK);
    for (int y = 0; y < HEIGHT; ++y)
      EXPECT(memcmp(image + y * WIDTH * 3, pixels + ((box.y + y) * 6 + box.x) * 3, WIDTH * 3) == 0);
  }
  hotpack_batch_release(batch);
  EXPECT(blocks == 0);
}

enum { PAD_WIDTH = 8, PAD_HEIGHT = 6 };

/* A row of different records: the record at the upper left, black and ignored besides. */
static void check_padded_row(const hotpack_dataset* dataset, uint64_t number, const uint8_t* image,
                             const uint8_t* label) {
  hotpack_sample_info sample;
  uint8_t pixels[3 * PIXELS];
  sample.struct_size = sizeof sample;
  EXPECT(hotpack_dataset_sample(dataset, number, &sample) == HOTPACK_OK);
  EXPECT(hotpack_dataset_read_image(dataset, number, pixels, sizeof pixels) == HOTPACK_OK);
  for (int64_t y = 0; y < PAD_HEIGHT; ++y) {
    for (int64_t x = 0; x < PAD_WIDTH; ++x) {
      const int64_t pixel = y * PAD_WIDTH + x;
      const int inside = x < sample.image_width && y < sample.image_height;
      EXPECT(image[pixel * 3] == (inside ? pixels[(y * sample.image_width + x) * 3] : 0));
      EXPECT(inside || label[pixel] == 255);
    }
  }
}

static void check_padding(const char* folder) {
  hotpack_dataset* dataset = NULL;
  hotpack_loader_options options;
  hotpack_loader* loader = NULL;
  hotpack_batch* batch = NULL;
  hotpack_batch_info info;
  EXPECT(hotpack_dataset_open(folder, &dataset) == HOTPACK_OK);
  hotpack_loader_options_init(&options, sizeof options);
  options.global_batch_size = BATCH;
  EXPECT(hotpack_loader_open(dataset, &options, &loader) == HOTPACK_ERROR_USAGE);
  hotpack_loader_close(loader);
  options.pad_width = PAD_WIDTH;
  options.pad_height = PAD_HEIGHT;
  EXPECT(hotpack_loader_open(dataset, &options, &loader) == HOTPACK_OK);
  EXPECT(hotpack_loader_next(loader, &batch) == HOTPACK_OK);
  if (batch == NULL) exit(1);
  info.struct_size = sizeof info;
  EXPECT(hotpack_batch_describe(batch, &info) == HOTPACK_OK);
  EXPECT(info.image.bytes == BATCH * PAD_HEIGHT * PAD_WIDTH * 3 &&
         info.label.bytes == BATCH * PAD_HEIGHT * PAD_WIDTH);
  for (size_t row = 0; row < BATCH; ++row) {
    const size_t first = row * PAD_HEIGHT * PAD_WIDTH;
    check_padded_row(dataset, (uint64_t)hotpack_batch_indices(batch)[row],
                     (const uint8_t*)info.image.data + first * 3,
                     (const uint8_t*)info.label.data + first);
  }
  hotpack_batch_release(batch);
  hotpack_loader_close(loader);
  hotpack_dataset_close(dataset);
}

/* An older program has shorter structs: nothing behind their end is read or written. */
static void check_older_structs(const hotpack_dataset* dataset) {
  hotpack_loader_options options;
  hotpack_dataset_info info;
  hotpack_loader* loader = NULL;
  memset(&options, 0x5A, sizeof options);
  EXPECT(hotpack_loader_options_init(&options, offsetof(hotpack_loader_options, threads)) ==
         HOTPACK_OK);
  EXPECT(options.threads == 0x5A5A5A5A);
  options.global_batch_size = BATCH;
  EXPECT(hotpack_loader_open(dataset, &options, &loader) == HOTPACK_OK);
  EXPECT(hotpack_loader_batch_size(loader) == BATCH);
  hotpack_loader_close(loader);
  EXPECT(hotpack_loader_options_init(&options, offsetof(hotpack_loader_options, threads) + 1) ==
         HOTPACK_ERROR_USAGE);
  info.struct_size = offsetof(hotpack_dataset_info, skipped);
  info.skipped = 99;
  EXPECT(hotpack_dataset_describe(dataset, &info) == HOTPACK_OK);
  EXPECT(info.records == SAMPLES && info.skipped == 99);
}

/* Samples by number equal single reads; a subset counts its samples from 0. */
static void check_numbers(const hotpack_dataset* dataset) {
  static const uint64_t numbers[] = {12, 0, 5};
  enum { COUNT = 3 };
  uint8_t images[COUNT * 3 * PIXELS], pixels[3 * PIXELS];
  int64_t indices[COUNT];
  uint64_t offsets[COUNT];
  char keys[COUNT * 64], key[64];
  hotpack_batch_buffers buffers = {sizeof buffers, images, sizeof images, NULL, 0, indices, NULL};
  hotpack_read_options options;
  hotpack_batch_info info;
  hotpack_dataset* subset = NULL;
  info.struct_size = sizeof info;
  EXPECT(hotpack_read_options_init(&options, sizeof options) == HOTPACK_OK);
  options.threads = 2;
  EXPECT(hotpack_dataset_read_batch_shapes(dataset, numbers, COUNT, &options, &info) == HOTPACK_OK);
  EXPECT(info.image.bytes == sizeof images && info.label.bytes == COUNT * PIXELS);
  EXPECT(hotpack_dataset_read_batch(dataset, numbers, COUNT, &options, &buffers, &info) ==
         HOTPACK_OK);
  EXPECT(info.image.data == images && info.label.data == NULL && info.num_valid == COUNT);
  EXPECT(hotpack_dataset_subset(dataset, numbers, COUNT, &subset) == HOTPACK_OK);
  EXPECT(hotpack_dataset_records(subset) == COUNT);
  EXPECT(strcmp(hotpack_dataset_fingerprint(subset), hotpack_dataset_fingerprint(dataset)) != 0);
  EXPECT(hotpack_dataset_keys(subset, 0, COUNT, keys, sizeof keys, NULL, offsets) == HOTPACK_OK);
  for (size_t i = 0; i < COUNT; ++i) {
    EXPECT(hotpack_dataset_read_image(dataset, numbers[i], pixels, sizeof pixels) == HOTPACK_OK);
    EXPECT(memcmp(images + i * sizeof pixels, pixels, sizeof pixels) == 0);
    EXPECT(indices[i] == (int64_t)numbers[i]);
    EXPECT(hotpack_dataset_key(dataset, numbers[i], key, sizeof key, NULL) == HOTPACK_OK);
    EXPECT(strcmp(keys + offsets[i], key) == 0);
  }
  hotpack_dataset_close(subset);
}

/* Failures in parts. */
static void check_error_parts(void) {
  hotpack_dataset* none = NULL;
  hotpack_error_info error;
  error.struct_size = sizeof error;
  EXPECT(hotpack_dataset_open("/no/such/pack", &none) == HOTPACK_ERROR_IO);
  EXPECT(hotpack_dataset_error_info(none, &error) == HOTPACK_OK);
  EXPECT(error.status == HOTPACK_ERROR_IO && error.record == -1);
  EXPECT(strncmp(error.path, "/no/such/pack", 13) == 0 && error.key[0] == '\0');
  hotpack_dataset_close(none);
}

/* The position as numbers, and a second handle of a batch. */
static void check_shares(const hotpack_dataset* dataset) {
  hotpack_loader* loader = open_loader(dataset, NULL);
  hotpack_batch* batch = NULL;
  hotpack_batch* share = NULL;
  uint64_t epoch = 9, step = 9;
  EXPECT(hotpack_loader_slots(loader) == 3 && hotpack_loader_leased(loader) == 0);
  EXPECT(hotpack_loader_next(loader, &batch) == HOTPACK_OK);
  EXPECT(hotpack_batch_share(batch, &share) == HOTPACK_OK);
  EXPECT(hotpack_batch_indices(share) == hotpack_batch_indices(batch));
  hotpack_batch_release(batch);
  EXPECT(hotpack_loader_leased(loader) == 1);
  hotpack_batch_release(share);
  EXPECT(hotpack_loader_leased(loader) == 0);
  EXPECT(hotpack_loader_position(loader, &epoch, &step) == HOTPACK_OK && epoch == 0 && step == 1);
  EXPECT(hotpack_loader_begin_epoch(loader, 3) == HOTPACK_OK);
  EXPECT(hotpack_loader_position(loader, &epoch, &step) == HOTPACK_OK && epoch == 3 && step == 0);
  hotpack_loader_close(loader);
}

static int32_t count_calls(void* user, const hotpack_verify_progress* progress) {
  (void)progress;
  ++*(int*)user;
  return 1;
}

/* A whole pack has no findings; the library and the classes describe themselves. */
static void check_descriptions(const hotpack_dataset* dataset, const char* folder) {
  int calls = 0;
  hotpack_verify_report* report = NULL;
  hotpack_verify_options options;
  hotpack_verify_report_info info;
  hotpack_build_info build;
  hotpack_label_source source;
  hotpack_geometry_info geometry;
  EXPECT(hotpack_verify_options_init(&options, sizeof options) == HOTPACK_OK);
  options.progress = count_calls;
  options.progress_user = &calls;
  options.threads = 1;
  info.struct_size = sizeof info;
  EXPECT(hotpack_verify_dataset(folder, &options, &report) == HOTPACK_OK);
  EXPECT(hotpack_verify_report_describe(report, &info) == HOTPACK_OK);
  EXPECT(info.ok == 1 && info.records == SAMPLES && info.findings == 0 && calls > 0);
  hotpack_verify_report_close(report);
  build.struct_size = sizeof build;
  EXPECT(hotpack_build_describe(&build) == HOTPACK_OK);
  EXPECT(strcmp(build.version, hotpack_version()) == 0 && build.instructions[0] != '\0');
  source.struct_size = sizeof source;
  EXPECT(hotpack_dataset_class_sources(dataset, 2) == 1);
  EXPECT(hotpack_dataset_class_source(dataset, 2, 0, &source) == HOTPACK_OK);
  EXPECT(source.text == NULL && source.id == 2);
  geometry.struct_size = sizeof geometry;
  EXPECT(hotpack_dataset_geometry(dataset, &geometry) == HOTPACK_OK);
  EXPECT(geometry.width == 6 && geometry.height == 5 && geometry.fit[0] != '\0');
}

int main(int argc, char* argv[]) {
  int64_t order[2 * STEPS][BATCH] = {{0}};
  hotpack_dataset* dataset = NULL;
  if (argc != 3) return 2;
  EXPECT(hotpack_abi_version() == HOTPACK_ABI_VERSION);
  EXPECT(hotpack_dataset_open(argv[1], &dataset) == HOTPACK_OK);
  check_dataset(dataset);
  check_epochs(dataset, order);
  check_resume(dataset, order);
  check_moves(dataset, order);
  check_crop(dataset);
  check_padding(argv[2]);
  check_older_structs(dataset);
  check_errors(dataset);
  check_error_parts();
  check_numbers(dataset);
  check_shares(dataset);
  check_descriptions(dataset, argv[1]);
  hotpack_dataset_close(dataset);
  printf("%d faults\n", faults);
  return faults != 0;
}
