/* hotpack for C and for languages that call C: batches in the memory of a CUDA device.
 *
 *   hotpack_device_loader* loader = NULL;
 *   hotpack_device_batch* batch = NULL;
 *   hotpack_device_batch_info info = {sizeof info};
 *   hotpack_status status;
 *   if (hotpack_device_loader_open(data, NULL, &loader) < 0)
 *     give_up(hotpack_device_loader_error(loader));
 *   while ((status = hotpack_device_loader_next(loader, stream, &batch)) == HOTPACK_OK) {
 *     hotpack_device_batch_describe(batch, &info);
 *     train(info.image.data, info.label.data, stream);
 *     hotpack_device_batch_release(batch);
 *   }
 *   if (status < 0) give_up(hotpack_device_loader_error(loader));
 *   hotpack_device_loader_close(loader);
 *
 * The C++ header device_loader.hpp describes the same in more detail. The functions are in the
 * library of hotpack.h and follow its rules of ownership, threads, failures and structs. Programs
 * need neither a CUDA toolkit nor a driver to compile, link or load: without a device the open
 * functions return HOTPACK_ERROR_USAGE and a text. A loader has one device. For several devices in
 * one process, open one loader per device, each with its own `rank` and with the number of loaders
 * as `world_size`.
 * A stream is a CUstream or a cudaStream_t as void*: NULL and (void*)1 are the legacy default
 * stream, (void*)2 the per-thread one. Streams of a batch must exist until it is released and its
 * tensors are deleted. Calls return when their work is queued on the stream, not when it is done,
 * and leave the thread's current context as it was. A stream that is being captured into a graph
 * is refused: before each launch of the graph, fill buffers of fixed addresses with next_into on
 * the same stream.
 */
#ifndef HOTPACK_DEVICE_H
#define HOTPACK_DEVICE_H

#include "hotpack/hotpack.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------ devices */

typedef struct hotpack_cuda hotpack_cuda;

/** Finds the CUDA devices that this process can use. As with hotpack_dataset_open, *cuda becomes a
 * handle even if the call fails: close it either way. USAGE if there is no driver, no device, or
 * a driver that is too old; the text says what to do. Devices may be found although the library
 * has no kernels for them; hotpack_device_loader_open reports that. */
HOTPACK_API hotpack_status hotpack_cuda_query(hotpack_cuda** cuda);
HOTPACK_API void hotpack_cuda_close(hotpack_cuda* cuda);
HOTPACK_API const char* hotpack_cuda_error(const hotpack_cuda* cuda);
HOTPACK_API hotpack_status hotpack_cuda_error_info(const hotpack_cuda* cuda,
                                                   hotpack_error_info* info);

typedef struct hotpack_cuda_info {
  size_t struct_size;  /**< set by the caller */
  uint64_t devices;    /**< how many; hotpack_cuda_device describes each */
  const char* kernels; /**< compiler and architectures, "CUDA 13.0, sm_75 … sm_121"; lives as long
                          as the handle */
  int32_t driver_version; /**< the CUDA version that the driver supports, 13000 for 13.0 */
  int32_t reserved;       /**< 0 */
} hotpack_cuda_info;

typedef struct hotpack_cuda_device_info {
  size_t struct_size; /**< set by the caller */
  const char* name;   /**< lives as long as the handle */
  uint64_t memory_bytes;
  uint64_t
      free_bytes;  /**< when the handle was opened; 0 if this process does not use the device yet */
  int32_t ordinal; /**< the number for hotpack_device_loader_options */
  int32_t major;   /**< compute capability */
  int32_t minor;
  int32_t reserved; /**< 0 */
} hotpack_cuda_device_info;

HOTPACK_API hotpack_status hotpack_cuda_describe(const hotpack_cuda* cuda, hotpack_cuda_info* info);
/** Devices are numbered from 0; HOTPACK_NOT_FOUND if there is no such device. */
HOTPACK_API hotpack_status hotpack_cuda_device(const hotpack_cuda* cuda, uint64_t number,
                                               hotpack_cuda_device_info* info);

/* ------------------------------------------------------------------------------------- loader */

typedef struct hotpack_device_loader hotpack_device_loader;
typedef struct hotpack_device_batch hotpack_device_batch;

/* <api: c enum residency> */
/** Places of the packed records of the whole data set between epochs. */
enum hotpack_residency {
  /** in the system's page cache; each batch is gathered into pinned memory, then copied */
  HOTPACK_RESIDENCY_PAGE = 0,
  /** in the device's memory, where opening copies them; only row numbers cross the bus */
  HOTPACK_RESIDENCY_DEVICE = 1,
  /** device if the budget allows it, else page */
  HOTPACK_RESIDENCY_AUTO = 2
};
/* </api> */

/** Progress of hotpack_device_loader_open in copying records that stay in device memory. Callers'
 * functions get it, so it never changes. */
typedef struct hotpack_load_progress {
  uint64_t records_done;
  uint64_t records_total;
  uint64_t bytes_done; /**< of packed records */
  uint64_t bytes_total;
} hotpack_load_progress;

/** Called in the thread that called hotpack_device_loader_open. It must not throw, jump or unwind.
 * Returns 0 to end the opening with CANCELLED, else another number. */
typedef int32_t (*hotpack_load_progress_function)(void* user,
                                                  const hotpack_load_progress* progress);

/** hotpack_device_loader_options_init fills in the defaults; hotpack_device_loader_open copies
 * everything. */
typedef struct hotpack_device_loader_options {
  size_t struct_size; /**< set by hotpack_device_loader_options_init */
  /* <api: c device loader options> */
  /** Order, output, augmentation and resources, as for a host loader. `content` and the allocator
   * must stay at their defaults. Default: NULL. */
  const hotpack_loader_options* loader;
  /** The device's number, as CUDA_VISIBLE_DEVICES shows it. Default: 0. */
  int32_t device;
  /** Place of packed records between epochs. HOTPACK_RESIDENCY_PAGE: in the system's page cache.
   * HOTPACK_RESIDENCY_DEVICE: in the device's memory. HOTPACK_RESIDENCY_AUTO: on the device if they
   * fit its budget, else in the page cache. Default: HOTPACK_RESIDENCY_PAGE. */
  int32_t residency;
  /** Limit for the loader's memory on the device: packed batches and resident records, not batches
   * that are handed out. 0: half of the device memory that is free when the loader opens. Default:
   * 0. */
  uint64_t device_budget_bytes;
  /** Called while opening copies records to device memory, after each batch of them. Returning 0
   * ends the opening with HOTPACK_ERROR_CANCELLED; another number continues it. Default: NULL. */
  hotpack_load_progress_function progress;
  /** Passed to progress. Default: NULL. */
  void* progress_user;
  /* </api> */
} hotpack_device_loader_options;

HOTPACK_API hotpack_status
hotpack_device_loader_options_init(hotpack_device_loader_options* options, size_t struct_size);

/** As hotpack_loader_open: allocates pinned memory and device memory, copies the records that the
 * residency keeps on the device, and starts the threads. *loader becomes a handle even if the call
 * fails. Do not call it while a stream waits for this thread: it loads kernels, and a driver may
 * wait for all streams to do that. */
HOTPACK_API hotpack_status hotpack_device_loader_open(const hotpack_dataset* dataset,
                                                      const hotpack_device_loader_options* options,
                                                      hotpack_device_loader** loader);
/** As hotpack_loader_close; also waits for the loader's copies and kernels that are queued. Batches
 * that are not released stay valid. */
HOTPACK_API void hotpack_device_loader_close(hotpack_device_loader* loader);
HOTPACK_API const char* hotpack_device_loader_error(const hotpack_device_loader* loader);
HOTPACK_API hotpack_status hotpack_device_loader_error_info(const hotpack_device_loader* loader,
                                                            hotpack_error_info* info);

/** These values never change. They are 0 or "" if the handle failed to open. */
HOTPACK_API uint64_t hotpack_device_loader_steps_per_epoch(
    const hotpack_device_loader* loader); /**< the same on every rank */
HOTPACK_API uint64_t hotpack_device_loader_batch_size(
    const hotpack_device_loader* loader); /**< rows of this rank's largest batch */
HOTPACK_API uint32_t hotpack_device_loader_threads(const hotpack_device_loader* loader);
/** Bytes of the largest batch, which suffice for next_into. Batches of one row may hold records of
 * different sizes; these functions then return the bytes of the largest record. */
HOTPACK_API uint64_t hotpack_device_loader_image_batch_bytes(const hotpack_device_loader* loader);
HOTPACK_API uint64_t hotpack_device_loader_label_batch_bytes(
    const hotpack_device_loader* loader); /**< 0 for an unlabeled data set */
HOTPACK_API const char* hotpack_device_loader_fingerprint(
    const hotpack_device_loader* loader); /**< lives as long as the handle */

typedef struct hotpack_residency_info {
  size_t struct_size;    /**< set by the caller */
  uint64_t packed_bytes; /**< of all records, as they are stored in device memory */
  const char* reason;    /**< "asked for", "auto: …"; lives as long as the loader's handle */
  int32_t residency;     /**< HOTPACK_RESIDENCY_…, never AUTO */
  int32_t reserved;      /**< 0 */
} hotpack_residency_info;

HOTPACK_API hotpack_status hotpack_device_loader_residency(hotpack_device_loader* loader,
                                                           hotpack_residency_info* info);

typedef struct hotpack_device_loader_statistics_info {
  size_t struct_size;    /**< set by the caller */
  uint64_t batches;      /**< handed out */
  uint64_t copied_bytes; /**< from host to device, including resident records */
  uint64_t pinned_bytes; /**< in use; constant from open to close */
  uint64_t device_bytes; /**< likewise, without batches that were handed out */
  double wait_seconds;   /**< time that consumers waited for records, not for the device */
  double load_seconds;   /**< time that open needed to copy resident records */
} hotpack_device_loader_statistics_info;

HOTPACK_API hotpack_status hotpack_device_loader_statistics(
    hotpack_device_loader* loader, hotpack_device_loader_statistics_info* info);

/** As hotpack_loader_next, but the batch is in device memory. When the call returns, the work that
 * writes the batch is queued on the stream. The memory is allocated and freed in the order of the
 * stream's work. A call waits for the device only if the program has queued the work of more than
 * `prefetch_batches` batches. Further failures: USAGE for a stream that is being captured or is not
 * a stream of the device, and for a device without memory pools; IO if device memory is lacking. No
 * batch is lost by these. If another call of the driver fails, the call is IO; if a copy or
 * a kernel of a batch fails, so is each later call. */
HOTPACK_API hotpack_status hotpack_device_loader_next(hotpack_device_loader* loader, void* stream,
                                                      hotpack_device_batch** batch);
HOTPACK_API hotpack_status hotpack_device_loader_next_timeout(hotpack_device_loader* loader,
                                                              void* stream, int64_t timeout_ms,
                                                              hotpack_device_batch** batch);

/** The caller's memory on the device, aligned to 16 bytes. A buffer that is smaller than the batch
 * is refused; image_batch_bytes and label_batch_bytes suffice for every batch. NULL with 0 bytes
 * skips the field. Never changes. */
typedef struct hotpack_device_buffers {
  void* image;
  uint64_t image_bytes;
  void* label;
  uint64_t label_bytes;
} hotpack_device_buffers;

/** As next, but writes the batch into the caller's memory, which needs no memory pools. Work that
 * reads the previous contents must be queued on that stream before the call, or be done. With
 * LAST_BATCH_KEEP, the last batch may have fewer rows: read batch_size, because the rest of the
 * buffers keeps rows of an earlier batch. For a graph of one size use DROP, or PAD with num_valid.
 * Unless `batch` is NULL, *batch becomes a handle that describes the batch and must be released. */
HOTPACK_API hotpack_status hotpack_device_loader_next_into(hotpack_device_loader* loader,
                                                           const hotpack_device_buffers* buffers,
                                                           void* stream,
                                                           hotpack_device_batch** batch);
HOTPACK_API hotpack_status hotpack_device_loader_next_into_timeout(
    hotpack_device_loader* loader, const hotpack_device_buffers* buffers, void* stream,
    int64_t timeout_ms, hotpack_device_batch** batch);

/** As hotpack_loader_seek, _begin_epoch, _position, _state, _restore and _cancel. States of both
 * kinds of loader are the same. */
HOTPACK_API hotpack_status hotpack_device_loader_seek(hotpack_device_loader* loader, uint64_t epoch,
                                                      uint64_t step);
HOTPACK_API hotpack_status hotpack_device_loader_begin_epoch(hotpack_device_loader* loader,
                                                             uint64_t epoch);
HOTPACK_API hotpack_status hotpack_device_loader_position(const hotpack_device_loader* loader,
                                                          uint64_t* epoch, uint64_t* step);
HOTPACK_API hotpack_status hotpack_device_loader_state(hotpack_device_loader* loader, char* text,
                                                       size_t size, size_t* length);
HOTPACK_API hotpack_status hotpack_device_loader_restore(hotpack_device_loader* loader,
                                                         const char* text);
HOTPACK_API void hotpack_device_loader_cancel(hotpack_device_loader* loader);

/* -------------------------------------------------------------------------------------- batch */

typedef struct hotpack_device_batch_info {
  size_t struct_size; /**< set by the caller */
  void* stream;       /**< the stream that writes the fields */
  uint64_t epoch;
  uint64_t step;       /**< within the epoch, from 0 */
  uint64_t batch_size; /**< rows of this rank; with LAST_BATCH_KEEP, the last step differs */
  uint64_t num_valid;  /**< rows with a sample, which come first */
  hotpack_field image; /**< device memory, contiguous */
  hotpack_field label; /**< data NULL: no label, or skipped by next_into */
  int32_t device;      /**< the device's number */
  int32_t reserved;    /**< 0 */
} hotpack_device_batch_info;

/** Pointers from these functions live until the batch is released. */
HOTPACK_API hotpack_status hotpack_device_batch_describe(const hotpack_device_batch* batch,
                                                         hotpack_device_batch_info* info);
/** As hotpack_batch_indices, _crops and _key, in host memory. */
HOTPACK_API const int64_t* hotpack_device_batch_indices(const hotpack_device_batch* batch);
HOTPACK_API const hotpack_crop* hotpack_device_batch_crops(const hotpack_device_batch* batch);
HOTPACK_API const char* hotpack_device_batch_key(const hotpack_device_batch* batch, uint64_t row);
HOTPACK_API const char* hotpack_device_batch_error(const hotpack_device_batch* batch);
HOTPACK_API hotpack_status hotpack_device_batch_error_info(const hotpack_device_batch* batch,
                                                           hotpack_error_info* info);

/** Lets a further stream use the batch. Work that is queued on `stream` after this call waits until
 * the batch is written, and the memory is freed only after the work that is queued on `stream` when
 * the batch is released. Call this for every stream that was not passed to next. USAGE for a batch
 * of next_into, whose memory is the caller's. */
HOTPACK_API hotpack_status hotpack_device_batch_record_stream(const hotpack_device_batch* batch,
                                                              void* stream);

/** As hotpack_batch_share: the memory is freed after all handles are released. Indices, crops, keys
 * and texts live as long as the handle that they were read from. */
HOTPACK_API hotpack_status hotpack_device_batch_share(const hotpack_device_batch* batch,
                                                      hotpack_device_batch** share);
/** Frees the handle; there is no need to wait for streams. The memory is freed when the batch's
 * DLPack tensors are deleted too, and after all work that is queued on its streams by then. Do not
 * release a batch while one of these streams is being captured: its memory then stays allocated
 * until the process ends. */
HOTPACK_API void hotpack_device_batch_release(hotpack_device_batch* batch);

/* ------------------------------------------------------------------------------------- DLPack */

/** Sets *tensor to a field as a tensor that shares the batch's memory: kDLCUDA, compact strides,
 * byte_offset 0. It may outlive the batch's handle and the loader. Any thread may call its deleter,
 * which neither waits nor fails.
 * `stream` is the consumer's stream, numbered as in the DLPack protocol: 1 for the legacy default
 * stream (None in Python), 2 for the per-thread one, or a handle above 2. It is synchronized as in
 * hotpack_device_batch_record_stream. −1 means no synchronization: the consumer must make its work
 * wait for the batch's stream, and call the deleter after that work. 0 is refused as ambiguous.
 * HOTPACK_NOT_FOUND for a field without data. USAGE for a batch of next_into. *tensor is NULL
 * unless the result is HOTPACK_OK. */
HOTPACK_API hotpack_status hotpack_device_batch_dlpack(const hotpack_device_batch* batch,
                                                       int32_t field, int64_t stream,
                                                       struct DLManagedTensorVersioned** tensor);
/** The same in the form before DLPack 1.0, for older consumers. */
HOTPACK_API hotpack_status hotpack_device_batch_dlpack_legacy(const hotpack_device_batch* batch,
                                                              int32_t field, int64_t stream,
                                                              struct DLManagedTensor** tensor);

#ifdef __cplusplus
}
#endif

#endif
