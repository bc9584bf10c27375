/* hotpack for C and for languages that call C: batches in the memory of CUDA devices.
 *
 *   void* streams[] = {stream};
 *   if (hotpack_device_loader_open(data, NULL, &loader) < 0) give_up(hotpack_device_loader_error(loader));
 *   while ((status = hotpack_device_loader_next(loader, streams, 1, &batch)) == HOTPACK_OK) {
 *     hotpack_device_batch_part(batch, 0, &part);
 *     train(part.image.data, part.label.data, stream);
 *     hotpack_device_batch_release(batch);
 *   }
 *   if (status < 0) give_up(hotpack_device_loader_error(loader));
 *   hotpack_device_loader_close(loader);
 *
 * The same as include/hotpack/device_loader.hpp, which tells more, in the library of hotpack.h and by its rules of ownership, threads,
 * failures and structs. Neither a toolkit nor a driver is needed to compile, to link or to load it: without a device the open functions
 * give HOTPACK_ERROR_USAGE and a text.
 * A stream is a CUstream or a cudaStream_t as void*: NULL and (void*)1 are the legacy default stream, (void*)2 the per-thread one. Streams
 * given with a batch must exist until it is released and its tensors are deleted. Calls return when their work is on the stream, not when
 * it is done, and leave the thread's current context as it was. A stream that is being captured into a graph is refused: fill buffers of
 * fixed addresses with next_into before each launch of the graph, on the same stream.
 */
#ifndef HOTPACK_DEVICE_H
#define HOTPACK_DEVICE_H

#include "hotpack/hotpack.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------------ devices */

typedef struct hotpack_cuda hotpack_cuda;

/** What of CUDA this process can use. As with hotpack_dataset_open, *cuda is a handle in any case: close it either way. USAGE where there
 * is no driver, no device, or a driver that is too old, with what to do. What there is may still not do, as the library has no kernels, or
 * none for it: hotpack_device_loader_open says so. */
HOTPACK_API hotpack_status hotpack_cuda_query(hotpack_cuda** cuda);
HOTPACK_API void hotpack_cuda_close(hotpack_cuda* cuda);
HOTPACK_API const char* hotpack_cuda_error(const hotpack_cuda* cuda);

typedef struct hotpack_cuda_info {
  size_t struct_size;     /**< set by the caller */
  uint64_t devices;       /**< that hotpack_cuda_device describes */
  const char* kernels;    /**< "CUDA 13.0, sm_75 … sm_121": what the kernels were made with and for; lives as long as the handle */
  int32_t driver_version; /**< of CUDA, as 13000 for 13.0, that the driver supports */
  int32_t reserved;       /**< 0 */
} hotpack_cuda_info;

typedef struct hotpack_cuda_device_info {
  size_t struct_size; /**< set by the caller */
  const char* name;   /**< lives as long as the handle */
  uint64_t memory_bytes;
  uint64_t free_bytes; /**< when the handle was opened; 0 on a device that this process does not use yet */
  int32_t ordinal;     /**< as options name the device */
  int32_t major;       /**< compute capability */
  int32_t minor;
  int32_t reserved; /**< 0 */
} hotpack_cuda_device_info;

HOTPACK_API hotpack_status hotpack_cuda_describe(const hotpack_cuda* cuda, hotpack_cuda_info* info);
/** Devices are numbered from 0; HOTPACK_NOT_FOUND for a number that none has. */
HOTPACK_API hotpack_status hotpack_cuda_device(const hotpack_cuda* cuda, uint64_t number, hotpack_cuda_device_info* info);

/* ------------------------------------------------------------------------------------------------------------------------ loader */

typedef struct hotpack_device_loader hotpack_device_loader;
typedef struct hotpack_device_batch hotpack_device_batch;

/** Where the packed records of the whole data set stay between epochs. */
enum {
  HOTPACK_RESIDENCY_PAGE = 0,     /**< in the system's page cache */
  HOTPACK_RESIDENCY_PINNED = 1,   /**< in pinned memory */
  HOTPACK_RESIDENCY_DEVICE = 2,   /**< in the memory of each device */
  HOTPACK_RESIDENCY_AUTOMATIC = 3 /**< the fastest that the budgets allow: device, else pinned, else page */
};

/** As hotpack_loader_options: filled by hotpack_device_loader_options_init, read by hotpack_device_loader_open, pointers too. */
typedef struct hotpack_device_loader_options {
  size_t struct_size;
  const hotpack_loader_options* loader; /**< order, form and augmentation of batches; NULL: the defaults. Memory of the caller (allocate,
                                           free) and HOTPACK_CONTENT_PACKED are refused, memory_budget_bytes is not used */
  const int32_t* devices;               /**< ordinals, each once, as CUDA_VISIBLE_DEVICES shows them; NULL: device 0 */
  size_t device_count;                  /**< of devices; 0 with NULL */
  int32_t residency;                    /**< HOTPACK_RESIDENCY_PAGE */
  int32_t reserved;                     /**< 0 */
  uint64_t pinned_budget_bytes;         /**< of all pinned memory; 0: a quarter of what is available / world_size. UINT64_MAX: no limit */
  uint64_t device_budget_bytes;         /**< of each device; 0: half of what is free when the loader is opened. UINT64_MAX: no limit */
  uint32_t prefetch;                    /**< packed batches on each device, the one that kernels read included, 1 … 64; 3 */
  uint32_t outputs;                     /**< batches of next held at a time, 0 … 64; 0: next_into alone; 2 */
} hotpack_device_loader_options;

HOTPACK_API hotpack_status hotpack_device_loader_options_init(hotpack_device_loader_options* options, size_t struct_size);

/** As hotpack_loader_open: takes the pinned memory, loads what is to be resident, and starts the threads. *loader is a handle in
 * any case. */
HOTPACK_API hotpack_status hotpack_device_loader_open(const hotpack_dataset* dataset, const hotpack_device_loader_options* options,
                                                      hotpack_device_loader** loader);
/** As hotpack_loader_close. Does not wait for streams: batches that are not released stay valid, and memory that a stream still uses is
 * freed later. */
HOTPACK_API void hotpack_device_loader_close(hotpack_device_loader* loader);
HOTPACK_API const char* hotpack_device_loader_error(const hotpack_device_loader* loader);

/** Facts, which do not change; 0 or "" of a handle that failed to open. A part is what one device has of each batch: they are numbered from
 * 0 in the order of the option `devices`; 0 for a part that does not exist. */
HOTPACK_API uint64_t hotpack_device_loader_steps_per_epoch(const hotpack_device_loader* loader); /**< the same on every rank */
HOTPACK_API uint64_t hotpack_device_loader_batch_size(const hotpack_device_loader* loader);      /**< of this rank, over all its devices */
HOTPACK_API uint64_t hotpack_device_loader_part_batch_size(const hotpack_device_loader* loader, uint64_t part);
HOTPACK_API uint64_t hotpack_device_loader_parts(const hotpack_device_loader* loader);
HOTPACK_API uint32_t hotpack_device_loader_threads(const hotpack_device_loader* loader);
/** Of a part's image and label, what next_into needs; records of different sizes in batches of one row: of the largest record. */
HOTPACK_API uint64_t hotpack_device_loader_image_batch_bytes(const hotpack_device_loader* loader, uint64_t part);
HOTPACK_API uint64_t hotpack_device_loader_label_batch_bytes(const hotpack_device_loader* loader, uint64_t part); /**< 0: unlabelled */
HOTPACK_API const char* hotpack_device_loader_fingerprint(const hotpack_device_loader* loader); /**< lives as long as the handle */

typedef struct hotpack_residency_info {
  size_t struct_size;    /**< set by the caller */
  uint64_t packed_bytes; /**< of the whole data set as it would be held */
  const char* reason;    /**< "asked for", "automatic: …"; lives as long as the loader's handle */
  int32_t residency;     /**< HOTPACK_RESIDENCY_…, never AUTOMATIC */
  int32_t reserved;      /**< 0 */
} hotpack_residency_info;

HOTPACK_API hotpack_status hotpack_device_loader_residency(hotpack_device_loader* loader, hotpack_residency_info* info);

typedef struct hotpack_device_loader_statistics_info {
  size_t struct_size;    /**< set by the caller */
  uint64_t batches;      /**< handed out */
  uint64_t copied_bytes; /**< host to device, all devices, the residency's load included */
  uint64_t pinned_bytes; /**< held now; the same from open to close */
  uint64_t device_bytes; /**< held now, of all devices; the same once every output has been used */
  double wait_seconds;   /**< that next and next_into waited for a packed batch */
  double load_seconds;   /**< that open took to make the records resident */
} hotpack_device_loader_statistics_info;

HOTPACK_API hotpack_status hotpack_device_loader_statistics(hotpack_device_loader* loader, hotpack_device_loader_statistics_info* info);
/** Device memory of one part, as in the statistics; 0 for a part that does not exist. */
HOTPACK_API uint64_t hotpack_device_loader_device_bytes(const hotpack_device_loader* loader, uint64_t part);

/** The next batch, as hotpack_loader_next, in memory of the loader: written by work that is on the streams on return. `streams` has a
 * stream for each part, `count` is their number. Further failures: USAGE for a stream that is being captured (nothing is lost) and when
 * `outputs` batches are not released; IO for a failed call of the driver, then at each later call. */
HOTPACK_API hotpack_status hotpack_device_loader_next(hotpack_device_loader* loader, void* const* streams, size_t count,
                                                      hotpack_device_batch** batch);
HOTPACK_API hotpack_status hotpack_device_loader_next_timeout(hotpack_device_loader* loader, void* const* streams, size_t count,
                                                              int64_t timeout_ms, hotpack_device_batch** batch);

/** Memory of the caller on a part's device, aligned to 16 bytes; at least image_batch_bytes and label_batch_bytes. NULL with 0 bytes: the
 * field is skipped. Part of arrays, so it stays as it is. */
typedef struct hotpack_device_buffers {
  void* image;
  uint64_t image_bytes;
  void* label;
  uint64_t label_bytes;
} hotpack_device_buffers;

/** As next, into memory of the caller: one element of `buffers` and of `streams` for each part. *batch, where `batch` is not NULL, tells
 * about it and holds no memory of the loader: release it all the same. */
HOTPACK_API hotpack_status hotpack_device_loader_next_into(hotpack_device_loader* loader, const hotpack_device_buffers* buffers,
                                                           void* const* streams, size_t count, hotpack_device_batch** batch);

/** As hotpack_loader_seek, _state, _restore and _cancel. States of both kinds of loader are the same. */
HOTPACK_API hotpack_status hotpack_device_loader_seek(hotpack_device_loader* loader, uint64_t epoch, uint64_t step);
HOTPACK_API hotpack_status hotpack_device_loader_state(hotpack_device_loader* loader, char* text, size_t size, size_t* length);
HOTPACK_API hotpack_status hotpack_device_loader_restore(hotpack_device_loader* loader, const char* text);
HOTPACK_API void hotpack_device_loader_cancel(hotpack_device_loader* loader);

/* ------------------------------------------------------------------------------------------------------------------------ batch */

typedef struct hotpack_device_batch_info {
  size_t struct_size; /**< set by the caller */
  uint64_t epoch;
  uint64_t step;       /**< of the epoch, from 0 */
  uint64_t batch_size; /**< rows of this rank, over all its devices */
  uint64_t num_valid;  /**< rows that hold a sample */
  uint64_t parts;
} hotpack_device_batch_info;

typedef struct hotpack_device_part_info {
  size_t struct_size; /**< set by the caller */
  void* stream;       /**< that the fields are written on */
  uint64_t first_row; /**< in indices, crops and keys */
  uint64_t batch_size;
  uint64_t num_valid;  /**< rows that hold a sample: the first ones */
  hotpack_field image; /**< device memory, contiguous */
  hotpack_field label; /**< data NULL: no label, or skipped by next_into */
  int32_t device;      /**< ordinal */
  int32_t reserved;    /**< 0 */
} hotpack_device_part_info;

/** Pointers that these functions give live until the batch is released. */
HOTPACK_API hotpack_status hotpack_device_batch_describe(const hotpack_device_batch* batch, hotpack_device_batch_info* info);
HOTPACK_API hotpack_status hotpack_device_batch_part(const hotpack_device_batch* batch, uint64_t part, hotpack_device_part_info* info);
/** As hotpack_batch_indices, _boxes and _key: of the rows of all parts, in host memory. */
HOTPACK_API const int64_t* hotpack_device_batch_indices(const hotpack_device_batch* batch);
HOTPACK_API const hotpack_crop* hotpack_device_batch_crops(const hotpack_device_batch* batch);
HOTPACK_API const char* hotpack_device_batch_key(const hotpack_device_batch* batch, uint64_t row);
HOTPACK_API const char* hotpack_device_batch_error(const hotpack_device_batch* batch);

/** Work given to `stream` from now on finds the part written, and its memory is not used again before what that stream has been given by
 * the time of the release. Needed for every stream but the one given to next. USAGE for a batch of next_into: its memory is the caller's.
 */
HOTPACK_API hotpack_status hotpack_device_batch_record_stream(const hotpack_device_batch* batch, void* stream, uint64_t part);

/** Frees the handle. The memory is used again once DLPack tensors made of it are deleted too, and then behind what its streams have been
 * given: nothing need be waited for. */
HOTPACK_API void hotpack_device_batch_release(hotpack_device_batch* batch);

/* ------------------------------------------------------------------------------------------------------------------------ DLPack */

/** Of the official dlpack.h or of hotpack_dlpack.h. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

enum { HOTPACK_FIELD_IMAGE = 0, HOTPACK_FIELD_LABEL = 1 };

/** A field as a tensor that shares the batch's memory: kDLCUDA, compact strides, byte_offset 0. It may outlive the batch's handle and the
 * loader; its deleter ends it, from any thread, and neither waits nor fails.
 * `stream` is the consumer's as the protocol has it: 1 the legacy default stream (what a Python binding makes of None), 2 the per-thread
 * one, above 2 a stream's handle, as record_stream; −1: no synchronisation, so that the consumer orders its work behind the part's stream
 * and the deleter behind its work. 0 is refused: it could mean any of them. HOTPACK_NOT_FOUND for a field without data. USAGE for a batch
 * of next_into. *tensor is NULL unless the result is HOTPACK_OK. */
HOTPACK_API hotpack_status hotpack_device_batch_dlpack(const hotpack_device_batch* batch, uint64_t part, int32_t field, int64_t stream,
                                                       struct DLManagedTensorVersioned** tensor);
/** The same in the form before DLPack 1.0, for consumers that know no other. */
HOTPACK_API hotpack_status hotpack_device_batch_dlpack_legacy(const hotpack_device_batch* batch, uint64_t part, int32_t field,
                                                              int64_t stream, struct DLManagedTensor** tensor);

#ifdef __cplusplus
}
#endif

#endif
