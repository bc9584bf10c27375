/* hotpack for C and for languages that call C: packed data sets and their batches in host memory.
 *
 *   hotpack_dataset* data = NULL;
 *   hotpack_loader* loader = NULL;
 *   hotpack_batch* batch = NULL;
 *   if (hotpack_dataset_open("packed/train", &data) < 0) give_up(hotpack_dataset_error(data));
 *   if (hotpack_loader_open(data, NULL, &loader) < 0) give_up(hotpack_loader_error(loader));
 *   while ((status = hotpack_loader_next(loader, &batch)) == HOTPACK_OK) { … hotpack_batch_release(batch); }
 *   if (status < 0) give_up(hotpack_loader_error(loader));
 *   hotpack_loader_close(loader);
 *   hotpack_dataset_close(data);
 *
 * The same as include/hotpack/dataset.hpp and loader.hpp, which tell more of what each option means.
 * Ownership: what an open function or next gives belongs to the caller until it is closed or released. Handles need each other in no
 * order: a loader may outlive its data set, a batch its loader. What is said to live as long as a handle is not freed by the caller.
 * Thread-safety: a data set and a loader may be used by several threads at once, but for their close function, which must be the last call
 * with the handle; a batch belongs to one thread at a time.
 * Failure: functions that can fail return a hotpack_status below 0, and leave their results untouched unless stated otherwise; the handle
 * then has a text. Nothing is thrown, printed or ended. NULL where a handle or a result must be is HOTPACK_ERROR_USAGE, or 0 or "" of
 * functions that return a value; closing and releasing NULL does nothing. A handle that was closed must not be used again.
 * Structs start with their size, so that fields can be added at their end: a struct of another version of this header is understood. USAGE
 * for a size that ends within a field.
 * Numbers of enums never change. All text is UTF-8 and ends with a NUL.
 */
#ifndef HOTPACK_H
#define HOTPACK_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HOTPACK_API __attribute__((visibility("default")))
#else
#define HOTPACK_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The number in the library's name, libhotpack.so.0: it changes when a program must be compiled again. */
#define HOTPACK_ABI_VERSION 0

/** HOTPACK_ABI_VERSION and HOTPACK_VERSION ("0.1.0") of the library that is loaded. */
HOTPACK_API uint32_t hotpack_abi_version(void);
HOTPACK_API const char* hotpack_version(void);

/* ------------------------------------------------------------------------------------------------------------------------ status */

typedef int32_t hotpack_status;
enum {
  HOTPACK_OK = 0,
  HOTPACK_END_OF_EPOCH = 1,    /**< no batch; the next call begins the next epoch */
  HOTPACK_NOT_FOUND = 2,       /**< what was looked for does not exist */
  HOTPACK_ERROR_USAGE = -1,    /**< an argument or an option is wrong */
  HOTPACK_ERROR_DATA = -2,     /**< input data are refused */
  HOTPACK_ERROR_IO = -3,       /**< a path cannot be read, a read failed, memory is lacking */
  HOTPACK_ERROR_DAMAGED = -4,  /**< a packed file breaks the format or a checksum, is foreign or of a newer major version */
  HOTPACK_ERROR_INTERNAL = -5, /**< a bug in hotpack */
  HOTPACK_ERROR_TIMEOUT = -6,  /**< nothing came in the time given; the call may be made again */
  HOTPACK_ERROR_CANCELLED = -7 /**< hotpack_loader_cancel was called */
};

/** "ok", "end of epoch", "not found", "usage", …; "unknown status" for other numbers. Never freed. */
HOTPACK_API const char* hotpack_status_name(hotpack_status status);

/* ------------------------------------------------------------------------------------------------------------------------ data set */

typedef struct hotpack_dataset hotpack_dataset;

/** Opens a folder that `hotpack pack` made, or `count` of them as one (class table, label and image forms must agree).
 * *dataset is a handle in any case, also after a failure, so that hotpack_dataset_error() can describe it: close it either way. After a
 * failure every other function refuses it. It is NULL only when there was no memory for it. */
HOTPACK_API hotpack_status hotpack_dataset_open(const char* folder, hotpack_dataset** dataset);
HOTPACK_API hotpack_status hotpack_dataset_open_many(const char* const* folders, size_t count, hotpack_dataset** dataset);
/** Loaders that read it are not affected; what is said to live as long as the handle ends. */
HOTPACK_API void hotpack_dataset_close(hotpack_dataset* dataset);

/** What the latest failed call with this handle, of any thread, had to say; "" when none failed. The text stays until the handle is closed
 * or 64 more calls have failed with other texts. */
HOTPACK_API const char* hotpack_dataset_error(const hotpack_dataset* dataset);

enum { HOTPACK_CHANNELS_LAST = 0, HOTPACK_CHANNELS_FIRST = 1 };                    /**< [H,W,C] (NHWC), [C,H,W] (NCHW) */
enum { HOTPACK_LABEL_NONE = 0, HOTPACK_LABEL_PIXEL = 1, HOTPACK_LABEL_IMAGE = 2 }; /**< a class per pixel, or one for the whole image */
enum { HOTPACK_STORAGE_NONE = 0, HOTPACK_STORAGE_BITS = 1, HOTPACK_STORAGE_ONE_HOT = 2, HOTPACK_STORAGE_INDEX = 3 };

typedef struct hotpack_dataset_info {
  size_t struct_size; /**< set by the caller: sizeof(hotpack_dataset_info) */
  uint64_t records;
  uint64_t skipped; /**< planned samples that were not packed */
  uint64_t shards;
  uint64_t packs;
  uint64_t classes;
  int64_t image_height; /**< pixels; 0 where records have different sizes */
  int64_t image_width;
  int32_t image_channels; /**< 3: RGB, 1: gray */
  int32_t image_layout;   /**< HOTPACK_CHANNELS_… */
  int32_t label_scope;    /**< HOTPACK_LABEL_… */
  int32_t label_storage;  /**< HOTPACK_STORAGE_… */
  int32_t label_multi;    /**< 1: a pixel may hold several classes */
  int32_t reserved;       /**< 0 */
} hotpack_dataset_info;

HOTPACK_API hotpack_status hotpack_dataset_describe(const hotpack_dataset* dataset, hotpack_dataset_info* info);
HOTPACK_API uint64_t hotpack_dataset_records(const hotpack_dataset* dataset);
HOTPACK_API uint64_t hotpack_dataset_classes(const hotpack_dataset* dataset);
/** "" for a class that does not exist; lives as long as the handle. */
HOTPACK_API const char* hotpack_dataset_class_name(const hotpack_dataset* dataset, uint64_t class_id);
/** Red, green, blue; HOTPACK_NOT_FOUND for a class without a color. */
HOTPACK_API hotpack_status hotpack_dataset_class_color(const hotpack_dataset* dataset, uint64_t class_id, uint8_t rgb[3]);

/** Mean and standard deviation of packed pixels in [0, 1], one per channel, padding excluded; NaN where no pixel was seen. `channels` is
 * the number of elements of both arrays and must be the image's. The first call of a set of several packs opens every shard. */
HOTPACK_API hotpack_status hotpack_dataset_mean_std(const hotpack_dataset* dataset, double* mean, double* std, size_t channels);

typedef struct hotpack_class_statistics {
  size_t struct_size;    /**< set by the caller */
  uint64_t pixels;       /**< of this class (labels of whole images: samples) */
  uint64_t samples;      /**< that hold the class */
  double weight_inverse; /**< sum of all pixels / (classes * pixels); NaN for a class that does not occur */
  double weight_median;  /**< median frequency / frequency of the class, likewise */
} hotpack_class_statistics;

HOTPACK_API hotpack_status hotpack_dataset_class_statistics(const hotpack_dataset* dataset, uint64_t class_id,
                                                            hotpack_class_statistics* statistics);
/** Pixels without a class. */
HOTPACK_API hotpack_status hotpack_dataset_ignored_pixels(const hotpack_dataset* dataset, uint64_t* pixels);

typedef struct hotpack_sample_info {
  size_t struct_size;   /**< set by the caller */
  uint64_t image_bytes; /**< of the record as stored, decompressed: what read_image writes */
  uint64_t label_bytes; /**< 0 without a label */
  int64_t image_height;
  int64_t image_width;
  int64_t source_height; /**< of the image it was made from */
  int64_t source_width;
  int64_t region[4];  /**< x, y, width, height in the record that the whole source is mapped to; may lie partly outside */
  uint64_t key_bytes; /**< of its key, without the NUL */
} hotpack_sample_info;

/** Samples are numbered 0 … records − 1, in the order of packs, shards and records. */
HOTPACK_API hotpack_status hotpack_dataset_sample(const hotpack_dataset* dataset, uint64_t number, hotpack_sample_info* info);
/** Writes the key and a NUL, at most `size` bytes; USAGE when it does not fit. *length, where not NULL, is the key's length in any case
 * (also with `key` NULL and `size` 0, which only asks for it). */
HOTPACK_API hotpack_status hotpack_dataset_key(const hotpack_dataset* dataset, uint64_t number, char* key, size_t size, size_t* length);
/** The record as stored, checked against its CRC-32C: `into` has at least image_bytes (label_bytes) bytes. USAGE without a label. After
 * a failure `into` may hold a part of the record. */
HOTPACK_API hotpack_status hotpack_dataset_read_image(const hotpack_dataset* dataset, uint64_t number, void* into, size_t size);
HOTPACK_API hotpack_status hotpack_dataset_read_label(const hotpack_dataset* dataset, uint64_t number, void* into, size_t size);
/** The number of the sample with this key, or HOTPACK_NOT_FOUND. The first call opens every shard and builds an index. */
HOTPACK_API hotpack_status hotpack_dataset_find(const hotpack_dataset* dataset, const char* key, uint64_t* number);

/* ------------------------------------------------------------------------------------------------------------------------ loader */

typedef struct hotpack_loader hotpack_loader;
typedef struct hotpack_batch hotpack_batch;

enum { HOTPACK_LAST_BATCH_DROP = 0, HOTPACK_LAST_BATCH_PAD = 1, HOTPACK_LAST_BATCH_WRAP = 2 };
enum { HOTPACK_SHUFFLE_FULL = 0, HOTPACK_SHUFFLE_BLOCK = 1, HOTPACK_SHUFFLE_NONE = 2 };
enum {
  HOTPACK_TYPE_DEFAULT = 0, /**< image: u8; label: as hotpack/expand.hpp says */
  HOTPACK_TYPE_U8 = 1,
  HOTPACK_TYPE_U16 = 2,
  HOTPACK_TYPE_I32 = 3,
  HOTPACK_TYPE_I64 = 4,
  HOTPACK_TYPE_F16 = 5,  /**< IEEE half */
  HOTPACK_TYPE_BF16 = 6, /**< the upper half of an f32 */
  HOTPACK_TYPE_F32 = 7
};
enum { HOTPACK_FORM_INDEX = 0, HOTPACK_FORM_ONE_HOT = 1, HOTPACK_FORM_BITS = 2 };
enum { HOTPACK_CONTENT_EXPANDED = 0, HOTPACK_CONTENT_PACKED = 1 }; /**< packed: records as stored, for expansion elsewhere */
enum { HOTPACK_CROP_NONE = 0, HOTPACK_CROP_RANDOM = 1, HOTPACK_CROP_CENTER = 2, HOTPACK_CROP_RESIZED = 3 };
enum { HOTPACK_VERIFY_FIRST_READ = 0, HOTPACK_VERIFY_ALWAYS = 1, HOTPACK_VERIFY_NEVER = 2 };
enum { HOTPACK_ACCESS_MAP = 0, HOTPACK_ACCESS_READ = 1 };

/** Slot memory of the caller, for example pinned memory. Called from any thread, also at once; must not throw, jump or unwind. `allocate`
 * gives `bytes` bytes aligned to at least 64, or NULL. Functions and `user` must live until the loader is closed and all its batches are
 * released; nothing is called after that. What a thread that hung at close still holds is then never given to `free`: it must stay memory.
 */
typedef void* (*hotpack_allocate_function)(void* user, size_t bytes);
typedef void (*hotpack_free_function)(void* user, void* memory, size_t bytes);

/** Filled with defaults by hotpack_loader_options_init, changed by the caller, read by hotpack_loader_open (pointers too: nothing but the
 * allocator need live longer). A field behind struct_size has its default. */
typedef struct hotpack_loader_options {
  size_t struct_size;
  uint64_t global_batch_size; /**< samples per step, over all ranks; 32 */
  uint64_t seed;              /**< 0 */
  uint64_t epoch;             /**< the first one, below 2^32; 0 */
  uint64_t rank;              /**< 0 … world_size − 1; 0 */
  uint64_t world_size;        /**< ranks; 1 */
  int32_t last_batch;         /**< what happens to the last records mod global_batch_size samples; HOTPACK_LAST_BATCH_DROP */
  int32_t shuffle;            /**< HOTPACK_SHUFFLE_FULL */
  uint64_t block_samples;     /**< of SHUFFLE_BLOCK; 256 */
  uint64_t window_blocks;     /**< of SHUFFLE_BLOCK; 16 */

  int32_t image_type;      /**< U8, F32, F16, BF16; U8 */
  int32_t image_order;     /**< HOTPACK_CHANNELS_LAST */
  const float* image_mean; /**< image_channels numbers each, or both NULL: y = (x / 255 − mean) / std; float types only */
  const float* image_std;
  size_t image_channels; /**< of image_mean and image_std; 0 without them */

  int32_t label_form;             /**< HOTPACK_FORM_INDEX */
  int32_t label_type;             /**< index: U8, U16, I32, I64; one-hot: U8, F16, F32, BF16; HOTPACK_TYPE_DEFAULT */
  int32_t label_order;            /**< of one-hot; HOTPACK_CHANNELS_LAST */
  int32_t label_ignore_channel;   /**< one-hot: 1 adds a last channel that is 1 where the pixel has no class; 0 */
  int32_t label_has_ignore_index; /**< index: 1 takes the next field in place of 255, 65535 or −100; 0 */
  int32_t content;                /**< HOTPACK_CONTENT_EXPANDED */
  int64_t label_ignore_index;     /**< what an ignored pixel holds; 0 without the flag */

  double horizontal_flip; /**< probability 0 … 1; 0 */
  double vertical_flip;   /**< 0 */
  int32_t crop;           /**< HOTPACK_CROP_NONE; of the size below */
  int32_t reserved;       /**< 0 */
  int64_t crop_width;     /**< pixels of the output; 0 without a crop */
  int64_t crop_height;
  double min_area;   /**< of CROP_RESIZED, share of the record's area; 0.08. Other crops: the defaults */
  double max_area;   /**< 1 */
  double min_ratio;  /**< width / height; 3/4 */
  double max_ratio;  /**< 4/3 */
  int64_t pad_width; /**< records of different sizes are padded to this; both 0: they are not */
  int64_t pad_height;

  uint32_t threads;                   /**< 0: the cores this process may use, at most 8 */
  uint32_t prefetch_batches;          /**< batches read ahead or held, 2 … 64; 3 */
  int32_t verify_checksums;           /**< when CRC-32C is checked; HOTPACK_VERIFY_FIRST_READ */
  int32_t access;                     /**< HOTPACK_ACCESS_MAP installs a SIGBUS handler for its own reads; ACCESS_READ none, slower */
  int64_t timeout_ms;                 /**< of hotpack_loader_next; 0: wait forever; 600000 */
  uint64_t memory_budget_bytes;       /**< of all slots together, refused beyond it; 0: no limit */
  hotpack_allocate_function allocate; /**< both NULL: ordinary memory */
  hotpack_free_function free;
  void* allocator_user;
  const char* resume; /**< text of hotpack_loader_state, or NULL */
} hotpack_loader_options;

/** Defaults for a struct of `struct_size` = sizeof(hotpack_loader_options) bytes; writes no more than that. USAGE for NULL and for a size
 * that ends within a field. */
HOTPACK_API hotpack_status hotpack_loader_options_init(hotpack_loader_options* options, size_t struct_size);

/** Allocates the slots and starts the threads. `options` NULL: the defaults. As with hotpack_dataset_open, *loader is a handle in any case:
 * close it either way. Fields beyond those this library knows must be 0. */
HOTPACK_API hotpack_status hotpack_loader_open(const hotpack_dataset* dataset, const hotpack_loader_options* options,
                                               hotpack_loader** loader);
/** Stops and joins the threads; one that hangs in the kernel is left behind after 5 s. No other call with the handle may be under way:
 * calls that wait in next are woken, but the handle that they use is freed, so cancel and let them return first. Batches that are not
 * released stay valid. */
HOTPACK_API void hotpack_loader_close(hotpack_loader* loader);
/** As hotpack_dataset_error. */
HOTPACK_API const char* hotpack_loader_error(const hotpack_loader* loader);

/** Facts, which do not change; 0 or "" of a handle that failed to open. */
HOTPACK_API uint64_t hotpack_loader_steps_per_epoch(const hotpack_loader* loader); /**< the same on every rank */
HOTPACK_API uint64_t hotpack_loader_batch_size(const hotpack_loader* loader);      /**< of this rank's batches */
HOTPACK_API uint32_t hotpack_loader_threads(const hotpack_loader* loader);
HOTPACK_API uint64_t
hotpack_loader_image_batch_bytes(const hotpack_loader* loader); /**< records of different sizes: of the largest so far */
HOTPACK_API uint64_t hotpack_loader_label_batch_bytes(const hotpack_loader* loader); /**< 0 for an unlabelled set */
HOTPACK_API uint64_t hotpack_loader_slot_bytes(const hotpack_loader* loader);        /**< of all slots together */
HOTPACK_API const char* hotpack_loader_fingerprint(const hotpack_loader* loader);    /**< of the data set; lives as long as the handle */

/** The next batch, to be released; or HOTPACK_END_OF_EPOCH with *batch NULL, of several threads to one. A failure sets *batch to NULL:
 * DAMAGED and IO at exactly the step that holds the record, and again at each later call (seek goes past it); TIMEOUT; CANCELLED; USAGE
 * after a fork, and when every slot is held by batches not released. next_timeout waits `timeout_ms`, 0 for ever, in place of the option's
 * time. */
HOTPACK_API hotpack_status hotpack_loader_next(hotpack_loader* loader, hotpack_batch** batch);
HOTPACK_API hotpack_status hotpack_loader_next_timeout(hotpack_loader* loader, int64_t timeout_ms, hotpack_batch** batch);

#define HOTPACK_MAX_DIMENSIONS 4

/** One field of a batch: contiguous, [rows, …]. Part of structs, so it stays as it is. */
typedef struct hotpack_field {
  void* data;                            /**< may be written to; NULL where there is no label, and for a field that next_into skipped */
  uint64_t bytes;                        /**< 0 likewise */
  int64_t shape[HOTPACK_MAX_DIMENSIONS]; /**< [rows,H,W,C], [rows,C,H,W], [rows,H,W], [rows,C] or [rows]; then 0 */
  int32_t dimensions;
  int32_t type; /**< HOTPACK_TYPE_U8 … */
} hotpack_field;

/** The window of a record that a row shows, in pixels of the record; flips come after cutting. Stays as it is. */
typedef struct hotpack_crop {
  int32_t x;
  int32_t y;
  int32_t width;
  int32_t height;
  uint8_t flip_horizontal;
  uint8_t flip_vertical;
  uint8_t reserved[2]; /**< 0 */
} hotpack_crop;

typedef struct hotpack_batch_info {
  size_t struct_size; /**< set by the caller */
  uint64_t epoch;
  uint64_t step;       /**< of the epoch, from 0 */
  uint64_t batch_size; /**< rows of this rank, the same at every step */
  uint64_t num_valid;  /**< rows that hold a sample: the first ones (HOTPACK_LAST_BATCH_PAD) */
  hotpack_field image;
  hotpack_field label;
} hotpack_batch_info;

/** Memory that next_into fills. */
typedef struct hotpack_batch_buffers {
  size_t struct_size; /**< set by the caller */
  void* image;        /**< at least image_batch_bytes, aligned to its elements; NULL: the field is skipped */
  uint64_t image_bytes;
  void* label;
  uint64_t label_bytes;
  int64_t* indices;    /**< one number per row, as hotpack_batch_indices; NULL: skipped */
  hotpack_crop* crops; /**< one per row; NULL: skipped */
} hotpack_batch_buffers;

/** As next, copied into the caller's memory: nothing to release. `info`, where not NULL, says about the batch, its fields point into the
 * buffers. Keys: hotpack_dataset_key(indices[row]). */
HOTPACK_API hotpack_status hotpack_loader_next_into(hotpack_loader* loader, const hotpack_batch_buffers* buffers, hotpack_batch_info* info);

/** Goes to a step of an epoch: 0 … steps_per_epoch. Ends cancel. */
HOTPACK_API hotpack_status hotpack_loader_seek(hotpack_loader* loader, uint64_t epoch, uint64_t step);
/** Where the run stands, what was handed out and not what was read ahead: one line of JSON and a NUL, at most `size` bytes; USAGE when it
 * does not fit. *length, where not NULL, is the text's length in any case (also with `text` NULL and `size` 0).
 * In a forked child: where the parent stood at the fork. */
HOTPACK_API hotpack_status hotpack_loader_state(hotpack_loader* loader, char* text, size_t size, size_t* length);
/** Goes on where the text says; rank and world size may be others. USAGE for a state of another data set, order, last_batch or global batch
 * size. */
HOTPACK_API hotpack_status hotpack_loader_restore(hotpack_loader* loader, const char* text);
/** Wakes every next that waits; they and later ones give HOTPACK_ERROR_CANCELLED until seek or restore. */
HOTPACK_API void hotpack_loader_cancel(hotpack_loader* loader);

/* ------------------------------------------------------------------------------------------------------------------------ batch */

/** Pointers that these functions give live until the batch is released. The only failure is HOTPACK_ERROR_USAGE for NULL and wrong sizes.
 */
HOTPACK_API hotpack_status hotpack_batch_describe(const hotpack_batch* batch, hotpack_batch_info* info);
/** batch_size numbers of samples in the data set, −1 for a row without a sample. */
HOTPACK_API const int64_t* hotpack_batch_indices(const hotpack_batch* batch);
/** batch_size crops: what augmentation drew, the whole record without. */
HOTPACK_API const hotpack_crop* hotpack_batch_crops(const hotpack_batch* batch);
/** "" for a row without a sample. */
HOTPACK_API const char* hotpack_batch_key(const hotpack_batch* batch, uint64_t row);
/** Gives the slot back to the loader, which fills it anew, and frees the handle. */
HOTPACK_API void hotpack_batch_release(hotpack_batch* batch);

#ifdef __cplusplus
}
#endif

#endif
