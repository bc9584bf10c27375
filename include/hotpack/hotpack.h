/* hotpack for C and for languages that call C: packed data sets and their batches in host memory.
 *
 *   hotpack_dataset* data = NULL;
 *   hotpack_loader* loader = NULL;
 *   hotpack_batch* batch = NULL;
 *   hotpack_status status;
 *   if (hotpack_dataset_open("packed/train", &data) < 0) give_up(hotpack_dataset_error(data));
 *   if (hotpack_loader_open(data, NULL, &loader) < 0) give_up(hotpack_loader_error(loader));
 *   while ((status = hotpack_loader_next(loader, &batch)) == HOTPACK_OK) {
 *     …
 *     hotpack_batch_release(batch);
 *   }
 *   if (status < 0) give_up(hotpack_loader_error(loader));
 *   hotpack_loader_close(loader);
 *   hotpack_dataset_close(data);
 *
 * The C++ headers dataset.hpp, loader_options.hpp, read_batch.hpp and verify.hpp say more about the
 * same things.
 * Ownership: what an open function or next returns belongs to the caller until it is closed or
 * released. Handles may be closed in any order: a loader may outlive its data set, and a batch
 * its loader. Never free a pointer of which a comment says that it lives as long as a handle.
 * Thread-safety: several threads may use a data set or a loader at once, but its close function
 * must be the last call with the handle.
 * A batch belongs to one thread at a time.
 * Failure: a function that fails returns a hotpack_status below 0 and leaves its results as they
 * were unless stated otherwise; then hotpack_…_error() returns a message. The library never
 * throws, prints or exits. If a required handle or result pointer is NULL, a function returns
 * HOTPACK_ERROR_USAGE; if it returns a value instead of a status, it returns 0, NULL or "". Closing
 * or releasing NULL does nothing. Do not use a handle after it was closed.
 * Structs start with their size, so that later versions can add fields at the end and programs
 * keep working with either version of this header. A function returns HOTPACK_ERROR_USAGE if
 * struct_size does not end on a field boundary.
 * Numbers of enums never change; fields that hold one are int32_t. All text is UTF-8 and ends
 * with a NUL.
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

/** The number in the library's name, libhotpack.so.0. It changes when programs must be compiled
 * again. */
#define HOTPACK_ABI_VERSION 0

/** HOTPACK_ABI_VERSION and version ("0.1.0") of the loaded library. */
HOTPACK_API uint32_t hotpack_abi_version(void);
HOTPACK_API const char* hotpack_version(void);

/* ------------------------------------------------------------------------------------- status */

typedef int32_t hotpack_status;
enum hotpack_status_code {
  HOTPACK_OK = 0,
  HOTPACK_END_OF_EPOCH = 1, /**< no batch; the next call begins the next epoch */
  HOTPACK_NOT_FOUND = 2,    /**< the key, color, device, field, source or finding does not exist */
  /* <api: c codes> */
  /** an argument or an option is wrong */
  HOTPACK_ERROR_USAGE = -1,
  /** input data are refused, for example an unknown color or sizes that differ */
  HOTPACK_ERROR_DATA = -2,
  /** a path cannot be read or written, the disk is full, memory or threads are lacking, or a CUDA
   * call failed */
  HOTPACK_ERROR_IO = -3,
  /** a packed file breaks the format or a checksum, is foreign or of a newer major version */
  HOTPACK_ERROR_DAMAGED = -4,
  /** a bug in hotpack */
  HOTPACK_ERROR_INTERNAL = -5,
  /** nothing arrived in time; call again */
  HOTPACK_ERROR_TIMEOUT = -6,
  /** another thread asked to stop */
  HOTPACK_ERROR_CANCELLED = -7,
  /** the caller holds every batch that the loader can lend; release one, then call again */
  HOTPACK_ERROR_BUSY = -8
  /* </api> */
};

/** "ok", "end of epoch", "not found", "usage", …; "unknown status" for other numbers. Never freed.
 */
HOTPACK_API const char* hotpack_status_name(hotpack_status status);

/** What the latest failed call with a handle concerns. The texts are never NULL, and live as long
 * as the text of hotpack_…_error(). */
typedef struct hotpack_error_info {
  size_t struct_size;  /**< set by the caller: sizeof(hotpack_error_info) */
  const char* message; /**< the text of hotpack_…_error() without path and offset */
  const char* path;    /**< the file concerned, or "" */
  int64_t offset;      /**< byte in that file; −1: unknown, or none */
  int64_t record;  /**< the record concerned, counted from 0 in the shard `path`; −1 likewise */
  const char* key; /**< that record's key, or "" */
  const char* option; /**< the option or argument that is wrong, if known, or "" */
  int32_t status;     /**< what the call returned; HOTPACK_OK if none failed */
  int32_t reserved;   /**< 0 */
} hotpack_error_info;

/** What this copy of the library is made of, for bug reports. The texts are never freed. */
typedef struct hotpack_build_info {
  size_t struct_size;       /**< set by the caller: sizeof(hotpack_build_info) */
  const char* version;      /**< of hotpack: "0.1.0" */
  const char* compiler;     /**< name and version */
  const char* zstd;         /**< the version of Zstandard in use: "1.5.4" */
  const char* instructions; /**< the vector instructions that the kernels use on this processor:
                               "avx512", "avx2", "sse4", "ssse3", "neon", "sve", "other", or
                               "portable" if none */
} hotpack_build_info;

/** USAGE for NULL and for a wrong struct_size. */
HOTPACK_API hotpack_status hotpack_build_describe(hotpack_build_info* info);

/* ----------------------------------------------------------------------------------- data set */

typedef struct hotpack_dataset hotpack_dataset;

/** Opens a folder that `hotpack pack` made, or `count` such folders as one data set. Their classes,
 * label scope and storage, image layout and channels must agree. *dataset becomes a handle even if
 * the call fails, so that hotpack_dataset_error() can describe the failure: close it either way.
 * All other functions refuse such a handle. It is NULL only if there was no memory for it. */
HOTPACK_API hotpack_status hotpack_dataset_open(const char* folder, hotpack_dataset** dataset);
HOTPACK_API hotpack_status hotpack_dataset_open_many(const char* const* folders, size_t count,
                                                     hotpack_dataset** dataset);
/** Makes the data set of `count` samples with these numbers, in this order; a number may occur
 * several times. Its samples count from 0, also in the batches of its loaders. Its classes, packs,
 * shards and statistics stay those of all samples. Opens its files anew, so the first data set may
 * be closed. As with hotpack_dataset_open, *subset becomes a handle even if the call fails. USAGE
 * for a number that does not exist. */
HOTPACK_API hotpack_status hotpack_dataset_subset(const hotpack_dataset* dataset,
                                                  const uint64_t* numbers, size_t count,
                                                  hotpack_dataset** subset);
/** Frees the handle and everything that lives as long as it. Loaders that read the data set are not
 * affected. */
HOTPACK_API void hotpack_dataset_close(hotpack_dataset* dataset);

/** The message of the latest failed call with this handle, from any thread; "" if none failed. The
 * text stays until the handle is closed or 64 more calls have failed with other texts. */
HOTPACK_API const char* hotpack_dataset_error(const hotpack_dataset* dataset);
/** The parts of the same failure. A call of this function that fails is not remembered. */
HOTPACK_API hotpack_status hotpack_dataset_error_info(const hotpack_dataset* dataset,
                                                      hotpack_error_info* info);

/** [H,W,C] (NHWC) or [C,H,W] (NCHW). */
enum hotpack_axis_order { HOTPACK_CHANNELS_LAST = 0, HOTPACK_CHANNELS_FIRST = 1 };
/** One class per pixel, or one for the whole image. */
enum hotpack_label_scope {
  HOTPACK_LABEL_NONE = 0,
  HOTPACK_LABEL_PIXEL = 1,
  HOTPACK_LABEL_IMAGE = 2
};
enum hotpack_label_storage {
  HOTPACK_STORAGE_NONE = 0,
  HOTPACK_STORAGE_BITS = 1, /**< class c is bit c mod 8 of byte c / 8 */
  HOTPACK_STORAGE_ONE_HOT = 2,
  HOTPACK_STORAGE_INDEX = 3
};

typedef struct hotpack_dataset_info {
  size_t struct_size; /**< set by the caller: sizeof(hotpack_dataset_info) */
  uint64_t records;
  uint64_t skipped; /**< planned samples that were not packed */
  uint64_t shards;
  uint64_t packs;
  uint64_t classes;
  int64_t image_height; /**< pixels; 0 if records have different sizes */
  int64_t image_width;
  int32_t image_channels; /**< 3: RGB, 1: gray */
  int32_t image_layout;   /**< HOTPACK_CHANNELS_… */
  int32_t label_scope;    /**< HOTPACK_LABEL_… */
  int32_t label_storage;  /**< HOTPACK_STORAGE_… */
  int32_t label_multi;    /**< 1: a pixel may hold several classes */
  int32_t reserved;       /**< 0 */
} hotpack_dataset_info;

HOTPACK_API hotpack_status hotpack_dataset_describe(const hotpack_dataset* dataset,
                                                    hotpack_dataset_info* info);
HOTPACK_API uint64_t hotpack_dataset_records(const hotpack_dataset* dataset);
HOTPACK_API uint64_t hotpack_dataset_classes(const hotpack_dataset* dataset);
/** Identifies the samples and their order, "xxh3-128:<hex>": a state of a loader belongs to one
 * fingerprint. Lives as long as the handle; "" if the handle failed to open. */
HOTPACK_API const char* hotpack_dataset_fingerprint(const hotpack_dataset* dataset);
/** "" for a class that does not exist; lives as long as the handle. */
HOTPACK_API const char* hotpack_dataset_class_name(const hotpack_dataset* dataset,
                                                   uint64_t class_id);
/** Red, green, blue; HOTPACK_NOT_FOUND for a class without a color. */
HOTPACK_API hotpack_status hotpack_dataset_class_color(const hotpack_dataset* dataset,
                                                       uint64_t class_id, uint8_t rgb[3]);

/** A value in label files that became a class, or that is ignored. */
typedef struct hotpack_label_source {
  size_t struct_size; /**< set by the caller */
  const char* text; /**< a color "#rrggbb" or the name of a folder; NULL: the source is an id. Lives
                       as long as the handle */
  int64_t id;       /**< 0 with a text */
} hotpack_label_source;

/** The number of sources of a class; 0 for a class that does not exist. */
HOTPACK_API uint64_t hotpack_dataset_class_sources(const hotpack_dataset* dataset,
                                                   uint64_t class_id);
/** Sources of a class are numbered from 0; HOTPACK_NOT_FOUND if there is no such source, USAGE if
 * there is no such class. */
HOTPACK_API hotpack_status hotpack_dataset_class_source(const hotpack_dataset* dataset,
                                                        uint64_t class_id, uint64_t number,
                                                        hotpack_label_source* source);
/** The same for label values that are ignored. */
HOTPACK_API uint64_t hotpack_dataset_ignored_sources(const hotpack_dataset* dataset);
HOTPACK_API hotpack_status hotpack_dataset_ignored_source(const hotpack_dataset* dataset,
                                                          uint64_t number,
                                                          hotpack_label_source* source);

/** How source images became records. The texts live as long as the handle. */
typedef struct hotpack_geometry_info {
  size_t struct_size; /**< set by the caller */
  int64_t width;      /**< of a record, in pixels; 0 if records have different sizes */
  int64_t height;
  const char* fit; /**< "stretch", "contain", "none", …: a word of the option --fit */
  const char* image_filter;
  const char* label_filter;
  int64_t pad_color[3]; /**< one number per channel, then 0 */
} hotpack_geometry_info;

/** For several packs the geometry of the first, which may differ from that of the others; only the
 * size is 0 if they differ in it. */
HOTPACK_API hotpack_status hotpack_dataset_geometry(const hotpack_dataset* dataset,
                                                    hotpack_geometry_info* info);

/** Mean and standard deviation per channel, of packed pixels in [0, 1] without padding; NaN if no
 * pixel was seen. `channels` is the number of elements of both arrays and must be that of the
 * images. With several packs the first call opens every shard. */
HOTPACK_API hotpack_status hotpack_dataset_mean_std(const hotpack_dataset* dataset, double* mean,
                                                    double* std, size_t channels);

typedef struct hotpack_class_statistics {
  size_t struct_size;    /**< set by the caller */
  uint64_t pixels;       /**< pixels of this class (labels of whole images: samples) */
  uint64_t samples;      /**< samples that contain the class */
  double weight_inverse; /**< sum of all pixels / (classes * pixels); NaN for a class that does not
                            occur */
  double weight_median; /**< median of the frequencies of all classes / frequency of this class; NaN
                           likewise */
} hotpack_class_statistics;

HOTPACK_API hotpack_status hotpack_dataset_class_statistics(const hotpack_dataset* dataset,
                                                            uint64_t class_id,
                                                            hotpack_class_statistics* statistics);
/** Pixels without a class. */
HOTPACK_API hotpack_status hotpack_dataset_ignored_pixels(const hotpack_dataset* dataset,
                                                          uint64_t* pixels);

typedef struct hotpack_sample_info {
  size_t struct_size;   /**< set by the caller */
  uint64_t image_bytes; /**< size of the record, decompressed: what read_image writes */
  uint64_t label_bytes; /**< 0 without a label */
  int64_t image_height;
  int64_t image_width;
  int64_t source_height; /**< size of the source image */
  int64_t source_width;
  int64_t region[4];  /**< x, y, width, height in the record that shows the whole source; may lie
                         partly outside */
  uint64_t key_bytes; /**< length of the key, without the NUL */
} hotpack_sample_info;

/** Samples are numbered 0 … records − 1, in the order of packs, shards and records. The functions
 * below map the shards that they open, and then install a SIGBUS handler for hotpack's own reads,
 * as HOTPACK_ACCESS_MAP does. */
HOTPACK_API hotpack_status hotpack_dataset_sample(const hotpack_dataset* dataset, uint64_t number,
                                                  hotpack_sample_info* info);
/** Writes the key and a NUL, at most `size` bytes; USAGE if they do not fit. Unless `length` is
 * NULL, *length becomes the key's length in any case. To ask for the length only, pass `key` NULL
 * and `size` 0. */
HOTPACK_API hotpack_status hotpack_dataset_key(const hotpack_dataset* dataset, uint64_t number,
                                               char* key, size_t size, size_t* length);
/** Writes the keys of samples first … first + count − 1 one after the other, each with a NUL, at
 * most `size` bytes; USAGE if they do not fit. Faster than one call per key. Unless `offsets` is
 * NULL, it has `count` elements, and offsets[i] becomes the place of key i in `keys`. Unless
 * `length` is NULL, *length becomes the number of bytes, with all NULs, in any case. To ask for the
 * length only, pass `keys` NULL and `size` 0. Opens the shards of these samples. */
HOTPACK_API hotpack_status hotpack_dataset_keys(const hotpack_dataset* dataset, uint64_t first,
                                                uint64_t count, char* keys, size_t size,
                                                size_t* length, uint64_t* offsets);
/** Copies a record, decompressed and checked against its CRC-32C, to `into`, which has at least
 * image_bytes (label_bytes) bytes. USAGE if there is no label. After a failure `into` may contain
 * a part of the record. */
HOTPACK_API hotpack_status hotpack_dataset_read_image(const hotpack_dataset* dataset,
                                                      uint64_t number, void* into, size_t size);
HOTPACK_API hotpack_status hotpack_dataset_read_label(const hotpack_dataset* dataset,
                                                      uint64_t number, void* into, size_t size);
/** The number of the sample with this key, or HOTPACK_NOT_FOUND. The first call opens every shard
 * and builds an index. */
HOTPACK_API hotpack_status hotpack_dataset_find(const hotpack_dataset* dataset, const char* key,
                                                uint64_t* number);

/* ------------------------------------------------------------------------------------- loader */

typedef struct hotpack_loader hotpack_loader;
typedef struct hotpack_batch hotpack_batch;

/* <api: c enum last_batch> */
/** The end of an epoch whose samples do not fill the last step. N: samples; G: samples per step,
 * over all ranks. */
enum hotpack_last_batch {
  /** ⌊N/G⌋ steps; the epoch leaves out its last N mod G positions */
  HOTPACK_LAST_BATCH_DROP = 0,
  /** ⌈N/G⌉ steps; rows past the end are empty and belong to no sample */
  HOTPACK_LAST_BATCH_PAD = 1,
  /** ⌈N/G⌉ steps; position i past the end holds order[i mod N] */
  HOTPACK_LAST_BATCH_WRAP = 2,
  /** ⌈N/G⌉ steps; the last one has fewer rows, at least one on each rank */
  HOTPACK_LAST_BATCH_KEEP = 3
};
/* </api> */
/* <api: c enum shuffle> */
/** The order of an epoch's samples. */
enum hotpack_shuffle {
  /** one permutation of all samples */
  HOTPACK_SHUFFLE_FULL = 0,
  /** permutes blocks of consecutive samples, then samples within windows of blocks: long reads for
   * disks */
  HOTPACK_SHUFFLE_BLOCK = 1,
  /** 0, 1, 2, …: the order of the files */
  HOTPACK_SHUFFLE_NONE = 2
};
/* </api> */
/* <api: c enum dtype> */
/** Types of elements. */
enum hotpack_dtype {
  /** u8, or u16 for class ids that do not fit into u8 */
  HOTPACK_DTYPE_DEFAULT = 0,
  HOTPACK_DTYPE_U8 = 1,
  HOTPACK_DTYPE_U16 = 2,
  HOTPACK_DTYPE_I32 = 3,
  HOTPACK_DTYPE_I64 = 4,
  /** IEEE half */
  HOTPACK_DTYPE_F16 = 5,
  /** the upper half of an f32 */
  HOTPACK_DTYPE_BF16 = 6,
  HOTPACK_DTYPE_F32 = 7
};
/* </api> */
/* <api: c enum form> */
/** The form of a label; a vector is a pixel, or a whole image. */
enum hotpack_label_form {
  /** one class id per vector */
  HOTPACK_FORM_IDS = 0,
  /** C elements per vector, 1 where the class is */
  HOTPACK_FORM_ONE_HOT = 1,
  /** ⌈C/8⌉ bytes per vector; class c is bit c mod 8 of byte c / 8 */
  HOTPACK_FORM_BITS = 2
};
/* </api> */
/* <api: c enum content> */
/** Content of batches. */
enum hotpack_batch_content {
  /** tensors, as `image` and `label` describe them */
  HOTPACK_CONTENT_EXPANDED = 0,
  /** records as stored; crops are chosen but not applied */
  HOTPACK_CONTENT_PACKED = 1
};
/* </api> */
/* <api: c enum crop> */
/** The window that is cut out of each record. */
enum hotpack_crop_kind {
  /** the whole record */
  HOTPACK_CROP_NONE = 0,
  /** a window at a random place */
  HOTPACK_CROP_RANDOM = 1,
  /** the window in the middle */
  HOTPACK_CROP_CENTER = 2,
  /** a window of random area and aspect ratio, resampled to the size */
  HOTPACK_CROP_RESIZED = 3
};
/* </api> */
/* <api: c enum verify_checksums> */
/** When to check the CRC-32C of a record. */
enum hotpack_verify_checksums {
  /** at the first read in this process */
  HOTPACK_VERIFY_FIRST_READ = 0,
  /** at every read */
  HOTPACK_VERIFY_ALWAYS = 1,
  /** not at all */
  HOTPACK_VERIFY_NEVER = 2
};
/* </api> */
/* <api: c enum access> */
/** Ways to read records. */
enum hotpack_file_access {
  /** from mapped shards; a SIGBUS handler turns a failing disk into an error */
  HOTPACK_ACCESS_MAP = 0,
  /** with system calls only: slower, but without a signal handler */
  HOTPACK_ACCESS_READ = 1
};
/* </api> */

/** The caller's memory for slots (each holds one batch), for example pinned memory. Any thread may
 * call these functions, also several at once; they must not throw, jump or unwind. `allocate`
 * returns `bytes` bytes aligned to at least 64, or NULL. Functions and `user` must live until the
 * loader is closed and all its batches are released; the library does not call them after that. If
 * a thread hangs at close, its memory is never passed to `free` and must stay valid. */
typedef void* (*hotpack_allocate_function)(void* user, size_t bytes);
typedef void (*hotpack_free_function)(void* user, void* memory, size_t bytes);

/** hotpack_loader_options_init fills in the defaults; the comment of a field ends with its default.
 * Change what you need and call hotpack_loader_open, which copies everything except the allocator.
 * A field beyond struct_size has its default. */
typedef struct hotpack_loader_options {
  size_t struct_size; /**< set by hotpack_loader_options_init */
  /* <api: c loader options> */
  /** Samples per step of this rank: each of `world_size` ranks gets as many. Give this or
   * `global_batch_size`. Default: 0. */
  uint64_t batch_size;
  /** Samples per step, summed over all ranks; at least `world_size`. The shares of ranks differ by
   * one row if this number is not a multiple of `world_size`. Without `batch_size` and
   * `global_batch_size`, it is 32. Default: 0. */
  uint64_t global_batch_size;
  /** Determines the order of samples and every random choice of augmentation. Default: 0. */
  uint64_t seed;
  /** The first epoch, below 2^32. Default: 0. */
  uint64_t epoch;
  /** This process among those that train together: 0 … `world_size` − 1. Default: 0. */
  uint64_t rank;
  /** The number of processes that train together. Default: 1. */
  uint64_t world_size;
  /** If the last samples of an epoch do not fill a step: HOTPACK_LAST_BATCH_DROP leaves them out
   * (with shuffling, different samples in each epoch), HOTPACK_LAST_BATCH_PAD adds empty rows after
   * the first `num_valid`, HOTPACK_LAST_BATCH_WRAP adds the first samples of the epoch again, and
   * HOTPACK_LAST_BATCH_KEEP gives a shorter last batch, on every rank. Default:
   * HOTPACK_LAST_BATCH_DROP. */
  int32_t last_batch;
  /** HOTPACK_SHUFFLE_FULL: one permutation of all samples. HOTPACK_SHUFFLE_BLOCK: long reads, for
   * disks. HOTPACK_SHUFFLE_NONE: the order of the files. Default: HOTPACK_SHUFFLE_FULL. */
  int32_t shuffle;
  /** Samples per block of HOTPACK_SHUFFLE_BLOCK, at least 1. Larger: longer reads, poorer mixing.
   * Default: 256. */
  uint64_t block_samples;
  /** Blocks per window of HOTPACK_SHUFFLE_BLOCK, at least 1. Larger: better mixing, more memory in
   * use. Default: 16. */
  uint64_t window_blocks;
  /** Continues a run at this state; `epoch` is then ignored. The state does not contain the options
   * of augmentation and output: pass the same ones as before. Default: NULL. */
  const char* resume;
  /** Element type: u8 (the stored bytes), f32, f16 or bf16. Default: HOTPACK_DTYPE_U8. */
  int32_t image_dtype;
  /** Axis order: HOTPACK_CHANNELS_LAST or HOTPACK_CHANNELS_FIRST. Default: HOTPACK_CHANNELS_LAST.
   */
  int32_t image_layout;
  /** Together with a deviation, for float types: y = (x / 255 − mean) / deviation, one number in 0
   * … 1 per channel each, bit for bit as torchvision's ToTensor and Normalize compute it. Without
   * both, y = x / 255. Default: NULL. */
  const float* image_mean;
  /** The deviation, likewise. Default: NULL. */
  const float* image_std;
  /** Length of image_mean and image_std. Default: 0. */
  size_t image_channels;
  /** HOTPACK_FORM_IDS: class ids. HOTPACK_FORM_ONE_HOT: one element per class. HOTPACK_FORM_BITS:
   * one bit per class. Each form works with every label storage of the pack, except ids if a pixel
   * can have several classes. Default: HOTPACK_FORM_IDS. */
  int32_t label_form;
  /** Element type. Ids: u8, u16, i32, i64; one-hot: u8, f16, f32, bf16; bits: u8. By default u8, or
   * u16 for ids that need it. Default: HOTPACK_DTYPE_DEFAULT. */
  int32_t label_dtype;
  /** Axis order of one-hot. Default: HOTPACK_CHANNELS_LAST. */
  int32_t label_layout;
  /** One-hot: adds a last channel that is 1 where the pixel has no class. Default: 0. */
  int32_t label_ignore_channel;
  /** Ids: 1 means that label_ignore_index is set. Default: 0. */
  int32_t label_has_ignore_index;
  /** Content of batches: HOTPACK_CONTENT_EXPANDED tensors, or HOTPACK_CONTENT_PACKED records as
   * they are stored, for code that expands them itself. Default: HOTPACK_CONTENT_EXPANDED. */
  int32_t content;
  /** The id of a pixel without a class. Unless it is set: 255 (u8), 65535 (u16) or −100 (i32, i64).
   * Default: 0. */
  int64_t label_ignore_index;
  /** Probability 0 … 1 to exchange left and right. Default: 0. */
  double horizontal_flip;
  /** Likewise, top and bottom. Default: 0. */
  double vertical_flip;
  /** The window to cut out: HOTPACK_CROP_RANDOM and HOTPACK_CROP_CENTER have the size below;
   * HOTPACK_CROP_RESIZED has random area and aspect ratio and is resampled to it. Default:
   * HOTPACK_CROP_NONE. */
  int32_t crop;
  /** 0. */
  int32_t reserved;
  /** Pixels. Default: 0. */
  int64_t crop_width;
  /** Pixels. Default: 0. */
  int64_t crop_height;
  /** HOTPACK_CROP_RESIZED: smallest window, as a share of the record's area. Default: 0.08. */
  double min_area;
  /** Likewise, the largest. Default: 1. */
  double max_area;
  /** Likewise, smallest width / height. Default: 3.0 / 4.0. */
  double min_ratio;
  /** Likewise, the largest. Default: 4.0 / 3.0. */
  double max_ratio;
  /** Pads each record on the right and at the bottom to this size (black; labels: ignored).
   * Required if record sizes differ, unless a crop is set or a batch has one row. Default: 0. */
  int64_t pad_width;
  /** Likewise. 0 and 0: no padding. Default: 0. */
  int64_t pad_height;
  /** Threads that read and expand records. 0: the cores that this process may use, at most 8.
   * Default: 0. */
  uint32_t threads;
  /** Slots, each of which is memory for one batch that is read ahead or in use, 2 … 64. More of
   * them bridge longer pauses. A loader in host memory makes further slots while the program holds
   * batches. A device loader has twice as many slots, in pinned memory, and room for as many packed
   * batches on the device. Default: 3. */
  uint32_t prefetch_batches;
  /** When to check the CRC-32C of a record. HOTPACK_VERIFY_FIRST_READ: once in this process.
   * HOTPACK_VERIFY_ALWAYS: at every read. HOTPACK_VERIFY_NEVER: not at all. Default:
   * HOTPACK_VERIFY_FIRST_READ. */
  int32_t verify_checksums;
  /** Way to read shards: HOTPACK_ACCESS_MAP maps them and installs a SIGBUS handler for hotpack's
   * own reads; HOTPACK_ACCESS_READ uses system calls only, which is slower. Default:
   * HOTPACK_ACCESS_MAP. */
  int32_t access;
  /** Limit for a wait for the next batch; then the call fails with a timeout and may be repeated.
   * 0: wait forever. In milliseconds. Default: 600000. */
  int64_t timeout_ms;
  /** Limit for the memory of all slots, also of those that are made later; opening a loader that
   * needs more is refused. 0: no limit. With a limit, a loader of records of different sizes makes
   * no further slots. The slots of a device loader are pinned memory. Default: 0. */
  uint64_t memory_budget_bytes;
  /** With free, memory for batches, for example pinned memory. NULL: ordinary memory. Default:
   * NULL. */
  hotpack_allocate_function allocate;
  /** Likewise. Default: NULL. */
  hotpack_free_function free;
  /** Passed to both functions. Default: NULL. */
  void* allocator_user;
  /* </api> */
} hotpack_loader_options;

/** Fills in the defaults. Writes `struct_size` = sizeof(hotpack_loader_options) bytes and no more.
 * USAGE for NULL and for a size that ends within a field. */
HOTPACK_API hotpack_status hotpack_loader_options_init(hotpack_loader_options* options,
                                                       size_t struct_size);

/** Allocates the slots and starts the threads. `options` NULL: the defaults. As with
 * hotpack_dataset_open, *loader becomes a handle even if the call fails: close it either way.
 * Fields that this library does not know must be 0. */
HOTPACK_API hotpack_status hotpack_loader_open(const hotpack_dataset* dataset,
                                               const hotpack_loader_options* options,
                                               hotpack_loader** loader);
/** Stops and joins the threads. A thread that hangs in the kernel is left behind after 5 s. The
 * handle is freed, so no other call may be using it: if threads wait in next, cancel and let them
 * return first. Batches that are not released stay valid. */
HOTPACK_API void hotpack_loader_close(hotpack_loader* loader);
/** As hotpack_dataset_error and hotpack_dataset_error_info. */
HOTPACK_API const char* hotpack_loader_error(const hotpack_loader* loader);
HOTPACK_API hotpack_status hotpack_loader_error_info(const hotpack_loader* loader,
                                                     hotpack_error_info* info);

/** These values never change. They are 0 or "" if the handle failed to open. */
HOTPACK_API uint64_t
hotpack_loader_steps_per_epoch(const hotpack_loader* loader); /**< the same on every rank */
HOTPACK_API uint64_t
hotpack_loader_batch_size(const hotpack_loader* loader); /**< rows of this rank's batches */
HOTPACK_API uint32_t hotpack_loader_threads(const hotpack_loader* loader);
/** The fingerprint of the data set; lives as long as the handle. */
HOTPACK_API const char* hotpack_loader_fingerprint(const hotpack_loader* loader);
/** Batches of one row may hold records of different sizes; these functions then return the largest
 * size so far. */
HOTPACK_API uint64_t hotpack_loader_image_batch_bytes(const hotpack_loader* loader);
HOTPACK_API uint64_t
hotpack_loader_label_batch_bytes(const hotpack_loader* loader); /**< 0 for an unlabeled data set */

/** Sets *batch to the next batch, which the caller releases. At the end of each epoch, returns
 * HOTPACK_END_OF_EPOCH and sets *batch to NULL; if several threads call next, exactly one of them
 * gets this result. A failure sets *batch to NULL. An error in the data (DAMAGED, IO) comes at
 * exactly the step that contains the record, and again at each later call until
 * hotpack_loader_seek goes past that step. Further failures: TIMEOUT, CANCELLED, USAGE after a
 * fork, and BUSY or IO while the caller holds every slot and the memory budget, or the memory,
 * allows no other one. `timeout_ms` replaces the time in the options: 0 waits forever, a negative
 * time is USAGE. */
HOTPACK_API hotpack_status hotpack_loader_next(hotpack_loader* loader, hotpack_batch** batch);
HOTPACK_API hotpack_status hotpack_loader_next_timeout(hotpack_loader* loader, int64_t timeout_ms,
                                                       hotpack_batch** batch);

#define HOTPACK_MAX_DIMENSIONS 4

/** One field of a batch: contiguous, [rows, …]. Other structs contain it, so it never changes. */
typedef struct hotpack_field {
  void* data;     /**< writable; NULL without a label, and for a field that next_into skipped */
  uint64_t bytes; /**< 0 if data is NULL, except in hotpack_dataset_read_batch_shapes */
  int64_t shape[HOTPACK_MAX_DIMENSIONS]; /**< [rows,H,W,C], [rows,C,H,W], [rows,H,W], [rows,C] or
                                            [rows]; then 0 */
  int32_t dimensions;
  int32_t dtype; /**< HOTPACK_DTYPE_U8 … */
} hotpack_field;

/** The window of a record that one row shows, in pixels of the record. Flips come after cropping.
 * Never changes. */
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
  uint64_t step;       /**< within the epoch, from 0 */
  uint64_t batch_size; /**< rows of this rank; with LAST_BATCH_KEEP, the last step differs */
  uint64_t num_valid;  /**< rows with a sample, which come first */
  hotpack_field image;
  hotpack_field label;
} hotpack_batch_info;

/** The caller's memory for hotpack_loader_next_into and hotpack_dataset_read_batch. */
typedef struct hotpack_batch_buffers {
  size_t struct_size; /**< set by the caller */
  void* image;        /**< at least image_batch_bytes, also for a shorter last batch, aligned to its
                         elements; NULL skips the field */
  uint64_t image_bytes;
  void* label;
  uint64_t label_bytes;
  int64_t* indices;    /**< one per row, as hotpack_batch_indices; NULL skips them */
  hotpack_crop* crops; /**< one per row; NULL skips them */
} hotpack_batch_buffers;

/** As next, but copies the batch into the caller's memory, so there is nothing to release. Unless
 * `info` is NULL, *info describes the batch, and its fields point into the buffers;
 * HOTPACK_END_OF_EPOCH leaves it unchanged. hotpack_dataset_key has the keys for the numbers in
 * `indices`, except for −1 (a row without a sample), which is no valid number. */
HOTPACK_API hotpack_status hotpack_loader_next_into(hotpack_loader* loader,
                                                    const hotpack_batch_buffers* buffers,
                                                    hotpack_batch_info* info);

/** Goes to a step of an epoch, 0 … steps_per_epoch. A cancelled loader delivers batches again. */
HOTPACK_API hotpack_status hotpack_loader_seek(hotpack_loader* loader, uint64_t epoch,
                                               uint64_t step);
/** Goes to step 0 of an epoch. Unlike seek, keeps what was read ahead if the loader stands there or
 * at the end of the epoch before, whether or not next has returned HOTPACK_END_OF_EPOCH. */
HOTPACK_API hotpack_status hotpack_loader_begin_epoch(hotpack_loader* loader, uint64_t epoch);
/** The step that next returns next; steps_per_epoch at an end of an epoch that next has not
 * returned yet. `epoch` or `step` may be NULL. In a forked child, the parent's position at the
 * fork. */
HOTPACK_API hotpack_status hotpack_loader_position(const hotpack_loader* loader, uint64_t* epoch,
                                                   uint64_t* step);
/** Batches in memory: prefetch_batches, and more while the caller holds many. 0 if the handle
 * failed to open. */
HOTPACK_API uint64_t hotpack_loader_slots(const hotpack_loader* loader);
/** Memory of these slots together. 0 likewise. */
HOTPACK_API uint64_t hotpack_loader_slot_bytes(const hotpack_loader* loader);
/** Of these, the batches that the caller holds: not released, or with DLPack tensors that are not
 * deleted. 0 likewise. */
HOTPACK_API uint64_t hotpack_loader_leased(const hotpack_loader* loader);
/** Writes the position of the run as one line of JSON and a NUL, at most `size` bytes; USAGE if
 * they do not fit. The position counts batches handed out, not those read ahead. Unless `length` is
 * NULL, *length becomes the text's length in any case. To ask for the length only, pass `text` NULL
 * and `size` 0. In a forked child, writes the parent's position at the fork. */
HOTPACK_API hotpack_status hotpack_loader_state(hotpack_loader* loader, char* text, size_t size,
                                                size_t* length);
/** Continues at the position in the text; rank and world size may differ. USAGE for a state of
 * another data set, order, last_batch or global batch size. */
HOTPACK_API hotpack_status hotpack_loader_restore(hotpack_loader* loader, const char* text);
/** Wakes every waiting call of next. These and later calls return HOTPACK_ERROR_CANCELLED until
 * hotpack_loader_seek or hotpack_loader_restore is called. */
HOTPACK_API void hotpack_loader_cancel(hotpack_loader* loader);

/* -------------------------------------------------------------------------- samples by number */

/** The form of the samples that hotpack_dataset_read_batch reads. The fields are those of
 * hotpack_loader_options with the same names and have the same defaults. */
typedef struct hotpack_read_options {
  size_t struct_size; /**< set by hotpack_read_options_init */
  /* <api: c read options> */
  /** Element type: u8 (the stored bytes), f32, f16 or bf16. Default: HOTPACK_DTYPE_U8. */
  int32_t image_dtype;
  /** Axis order: HOTPACK_CHANNELS_LAST or HOTPACK_CHANNELS_FIRST. Default: HOTPACK_CHANNELS_LAST.
   */
  int32_t image_layout;
  /** Together with a deviation, for float types: y = (x / 255 − mean) / deviation, one number in 0
   * … 1 per channel each, bit for bit as torchvision's ToTensor and Normalize compute it. Without
   * both, y = x / 255. Default: NULL. */
  const float* image_mean;
  /** The deviation, likewise. Default: NULL. */
  const float* image_std;
  /** Length of image_mean and image_std. Default: 0. */
  size_t image_channels;
  /** HOTPACK_FORM_IDS: class ids. HOTPACK_FORM_ONE_HOT: one element per class. HOTPACK_FORM_BITS:
   * one bit per class. Each form works with every label storage of the pack, except ids if a pixel
   * can have several classes. Default: HOTPACK_FORM_IDS. */
  int32_t label_form;
  /** Element type. Ids: u8, u16, i32, i64; one-hot: u8, f16, f32, bf16; bits: u8. By default u8, or
   * u16 for ids that need it. Default: HOTPACK_DTYPE_DEFAULT. */
  int32_t label_dtype;
  /** Axis order of one-hot. Default: HOTPACK_CHANNELS_LAST. */
  int32_t label_layout;
  /** One-hot: adds a last channel that is 1 where the pixel has no class. Default: 0. */
  int32_t label_ignore_channel;
  /** Ids: 1 means that label_ignore_index is set. Default: 0. */
  int32_t label_has_ignore_index;
  /** 0. */
  int32_t reserved;
  /** The id of a pixel without a class. Unless it is set: 255 (u8), 65535 (u16) or −100 (i32, i64).
   * Default: 0. */
  int64_t label_ignore_index;
  /** Pads each record on the right and at the bottom to this size (black; labels: ignored).
   * Required if record sizes differ, unless a crop is set or a batch has one row. Default: 0. */
  int64_t pad_width;
  /** Likewise. 0 and 0: no padding. Default: 0. */
  int64_t pad_height;
  /** Threads that read and expand records. 0: the cores that this process may use, at most 8.
   * Default: 0. */
  uint32_t threads;
  /** When to check the CRC-32C of a record. HOTPACK_VERIFY_FIRST_READ: once in this process.
   * HOTPACK_VERIFY_ALWAYS: at every read. HOTPACK_VERIFY_NEVER: not at all. Default:
   * HOTPACK_VERIFY_FIRST_READ. */
  int32_t verify_checksums;
  /* </api> */
} hotpack_read_options;

/** As hotpack_loader_options_init. */
HOTPACK_API hotpack_status hotpack_read_options_init(hotpack_read_options* options,
                                                     size_t struct_size);

/** Describes the batch of `count` samples with these numbers: shapes, types, and in the `bytes` of
 * both fields the memory that they need, although `data` is NULL. `options` NULL: the defaults. */
HOTPACK_API hotpack_status hotpack_dataset_read_batch_shapes(const hotpack_dataset* dataset,
                                                             const uint64_t* numbers, size_t count,
                                                             const hotpack_read_options* options,
                                                             hotpack_batch_info* info);
/** Reads `count` samples, in this order, into the caller's memory, with threads: for samplers and
 * evaluation. A number may occur several times. A loader is faster for whole epochs, because it
 * reads ahead. `info` is NULL or becomes the description of the batch, with epoch and step 0. Fails
 * like a loader: USAGE for a number that does not exist and for buffers that are too small, and for
 * records the failure of the first in the order of `numbers`. After a failure, the buffers may
 * contain a part of the rows. Keeps no pointer. */
HOTPACK_API hotpack_status hotpack_dataset_read_batch(const hotpack_dataset* dataset,
                                                      const uint64_t* numbers, size_t count,
                                                      const hotpack_read_options* options,
                                                      const hotpack_batch_buffers* buffers,
                                                      hotpack_batch_info* info);

/* -------------------------------------------------------------------------------------- batch */

/** Pointers from these functions live until the batch is released. The only failure is
 * HOTPACK_ERROR_USAGE for NULL and wrong sizes. */
HOTPACK_API hotpack_status hotpack_batch_describe(const hotpack_batch* batch,
                                                  hotpack_batch_info* info);
/** The sample's number in the data set for each row, −1 for a row without a sample: batch_size
 * numbers. */
HOTPACK_API const int64_t* hotpack_batch_indices(const hotpack_batch* batch);
/** The window that augmentation chose for each row, or the whole record: batch_size crops. */
HOTPACK_API const hotpack_crop* hotpack_batch_crops(const hotpack_batch* batch);
/** "" for a row without a sample. */
HOTPACK_API const char* hotpack_batch_key(const hotpack_batch* batch, uint64_t row);
/** Sets *share to a second handle of the same batch, without a copy, for example for another
 * thread. The slot is reused when all handles are released. Fields and indices live until then;
 * crops and keys live as long as the handle that they were read from. IO without memory; *share is
 * then NULL. */
HOTPACK_API hotpack_status hotpack_batch_share(const hotpack_batch* batch, hotpack_batch** share);
/** Frees the handle, and returns the slot to the loader, which reuses it. */
HOTPACK_API void hotpack_batch_release(hotpack_batch* batch);

/** Declared by the official dlpack.h and by hotpack_dlpack.h. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

enum hotpack_field_kind { HOTPACK_FIELD_IMAGE = 0, HOTPACK_FIELD_LABEL = 1 };

/** Sets *tensor to a field as a DLPack tensor that shares the batch's memory: kDLCPU, compact
 * strides, byte_offset 0. It may outlive the batch's handle and the loader: the slot is reused when
 * both the batch is released and its tensors are deleted. Any thread may call its deleter, which
 * neither waits nor fails. HOTPACK_NOT_FOUND for a field without data. *tensor is NULL unless the
 * result is HOTPACK_OK. */
HOTPACK_API hotpack_status hotpack_batch_dlpack(const hotpack_batch* batch, int32_t field,
                                                struct DLManagedTensorVersioned** tensor);
/** The same in the form before DLPack 1.0, for older consumers. */
HOTPACK_API hotpack_status hotpack_batch_dlpack_legacy(const hotpack_batch* batch, int32_t field,
                                                       struct DLManagedTensor** tensor);

/* ------------------------------------------------------------------------------------- verify */

typedef struct hotpack_verify_report hotpack_verify_report;

/** How much is checked. Callers' functions get it, so it never changes. */
typedef struct hotpack_verify_progress {
  uint64_t shards_done;
  uint64_t shards_total;
  uint64_t records_done;
  uint64_t records_total; /**< from the manifest; 0 without one */
  uint64_t bytes_done;    /**< uncompressed size of the records that were checked */
  uint64_t findings;
} hotpack_verify_progress;

/** Called every few records, by one thread at a time, but not always by the same. It must not
 * throw, jump or unwind. Returns 0 to stop, else another number. */
typedef int32_t (*hotpack_verify_progress_function)(void* user,
                                                    const hotpack_verify_progress* progress);

/** hotpack_verify_options_init fills in the defaults. */
typedef struct hotpack_verify_options {
  size_t struct_size;
  uint64_t max_findings; /**< how many the report keeps, at least 1; it counts all; 1000 */
  uint32_t threads;      /**< 0: one per core that this process may use; 0 */
  int32_t reserved;      /**< 0 */
  hotpack_verify_progress_function progress; /**< NULL: none */
  void* progress_user;                       /**< passed to progress; NULL */
} hotpack_verify_options;

HOTPACK_API hotpack_status hotpack_verify_options_init(hotpack_verify_options* options,
                                                       size_t struct_size);

/** Checks a data set against every rule of the format and every checksum, and continues after the
 * first problem: manifest, shards, and that they agree. HOTPACK_OK means that the check was done:
 * everything that is wrong with the files is a finding of *report. Fails only if there is nothing
 * to check (IO) or an argument is wrong. As with hotpack_dataset_open, *report becomes a handle
 * even if the call fails: close it either way. `options` NULL: the defaults. */
HOTPACK_API hotpack_status hotpack_verify_dataset(const char* folder,
                                                  const hotpack_verify_options* options,
                                                  hotpack_verify_report** report);
/** The same for one shard by itself, for example of a partition. */
HOTPACK_API hotpack_status hotpack_verify_shard(const char* path,
                                                const hotpack_verify_options* options,
                                                hotpack_verify_report** report);
/** Frees the handle and all texts of the report. */
HOTPACK_API void hotpack_verify_report_close(hotpack_verify_report* report);
/** As hotpack_dataset_error and hotpack_dataset_error_info. */
HOTPACK_API const char* hotpack_verify_report_error(const hotpack_verify_report* report);
HOTPACK_API hotpack_status hotpack_verify_report_error_info(const hotpack_verify_report* report,
                                                            hotpack_error_info* info);

typedef struct hotpack_verify_report_info {
  size_t struct_size;     /**< set by the caller */
  uint64_t finding_count; /**< all findings, including those that were not kept */
  uint64_t findings;      /**< kept, at most max_findings */
  uint64_t damaged_files;
  uint64_t notes;
  uint64_t shards; /**< how many were checked */
  uint64_t records;
  uint64_t size_bytes; /**< total size of the shard files */
  int32_t ok;          /**< 1: everything was checked and nothing is wrong */
  int32_t stopped;     /**< 1: progress returned 0; the rest was not checked */
  int32_t aligned;     /**< 1: in every shard, records begin on a page and tables on their items */
  int32_t reserved;    /**< 0 */
} hotpack_verify_report_info;

HOTPACK_API hotpack_status hotpack_verify_report_describe(const hotpack_verify_report* report,
                                                          hotpack_verify_report_info* info);

/** One thing that is wrong with a file. The texts are never NULL, and live as long as the report.
 */
typedef struct hotpack_verify_finding_info {
  size_t struct_size;      /**< set by the caller */
  const char* description; /**< "file: record 3 (key), at byte 4096: text", the parts that exist */
  const char* file;        /**< name within the folder */
  const char* key;         /**< the record's key, if it can be read, or "" */
  const char* text;        /**< what was found and what was expected */
  int64_t record;          /**< index in that shard, or −1 */
  int64_t offset;          /**< byte in that file, or −1 */
  int32_t status;          /**< HOTPACK_ERROR_DAMAGED, or HOTPACK_ERROR_IO: it could not be read */
  int32_t reserved;        /**< 0 */
} hotpack_verify_finding_info;

/** Kept findings are numbered from 0, in the order of files and records; HOTPACK_NOT_FOUND if there
 * is no such finding. */
HOTPACK_API hotpack_status hotpack_verify_report_finding(const hotpack_verify_report* report,
                                                         uint64_t number,
                                                         hotpack_verify_finding_info* finding);
/** The names of all files with a finding other than IO, sorted, and the notes: foreign and
 * temporary files, and what could not be checked. Numbered from 0; "" beyond the last. Live as long
 * as the report. */
HOTPACK_API const char* hotpack_verify_report_damaged_file(const hotpack_verify_report* report,
                                                           uint64_t number);
HOTPACK_API const char* hotpack_verify_report_note(const hotpack_verify_report* report,
                                                   uint64_t number);

#ifdef __cplusplus
}
#endif

#endif
