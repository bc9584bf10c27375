/* hotpack for C and for languages that call C: batches in the memory of CUDA devices.
 *
 *   void* streams[] = {stream};
 *   hotpack_device_loader* loader = NULL;
 *   hotpack_device_batch* batch = NULL;
 *   hotpack_device_part_info part = {sizeof part};
 *   hotpack_status status;
 *   if (hotpack_device_loader_open(data, NULL, &loader) < 0)
 *     give_up(hotpack_device_loader_error(loader));
 *   while ((status = hotpack_device_loader_next(loader, streams, 1, &batch)) == HOTPACK_OK) {
 *     hotpack_device_batch_part(batch, 0, &part);
 *     train(part.image.data, part.label.data, stream);
 *     hotpack_device_batch_release(batch);
 *   }
 *   if (status < 0) give_up(hotpack_device_loader_error(loader));
 *   hotpack_device_loader_close(loader);
 *
 * The C++ header device_loader.hpp describes the same in more detail. The functions are in the
 * library of hotpack.h and follow its rules of ownership, threads, failures and structs. Programs
 * need neither a CUDA toolkit nor a driver to compile, link or load: without a device the open
 * functions return HOTPACK_ERROR_USAGE and a text.
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
  /** in the memory of each device; only row numbers cross the bus */
  HOTPACK_RESIDENCY_DEVICE = 1,
  /** device if the budget allows it, else page */
  HOTPACK_RESIDENCY_AUTO = 2
};
/* </api> */

/** How much is loaded of the records that stay in device memory. Callers' functions get it, so it
 * never changes. */
typedef struct hotpack_load_progress {
  uint64_t records_done;
  uint64_t records_total;
  uint64_t bytes_done; /**< of packed records */
  uint64_t bytes_total;
} hotpack_load_progress;

/** Called about every 50 ms while hotpack_device_loader_open loads records, and when all are
 * loaded, in the thread that called it. It must not throw, jump or unwind. Returns 0 to end the
 * opening with CANCELLED, else another number. */
typedef int32_t (*hotpack_load_progress_function)(void* user,
                                                  const hotpack_load_progress* progress);

/** hotpack_device_loader_options_init fills in the defaults; hotpack_device_loader_open copies
 * everything. */
typedef struct hotpack_device_loader_options {
  size_t struct_size; /**< set by hotpack_device_loader_options_init */
  /* <api: c device loader options> */
  /** Order, output and augmentation, as for a host loader. `content` and the allocator must stay at
   * their defaults, `memory_budget_bytes` at 0. `threads` = 0 means the cores that this process may
   * use, but at most 4 per device plus 4. `prefetch_batches` is the number of slots in pinned
   * memory, and the number of packed batches that each device holds. Default: NULL. */
  const hotpack_loader_options* loader;
  /** Ordinals, each once, as CUDA_VISIBLE_DEVICES shows them; without any, device 0. Default: NULL.
   */
  const int32_t* devices;
  /** Length of devices; 0 with NULL. Default: 0. */
  size_t device_count;
  /** Place of packed records between epochs. HOTPACK_RESIDENCY_PAGE: in the system's page cache.
   * HOTPACK_RESIDENCY_DEVICE: in the memory of each device. HOTPACK_RESIDENCY_AUTO: on the device
   * if they fit its budget, else in the page cache. Default: HOTPACK_RESIDENCY_PAGE. */
  int32_t residency;
  /** Batches in device memory that the program may hold at the same time, 0 … 64; their memory is
   * allocated when the loader opens. With 0, only hotpack_device_loader_next_into can be used.
   * Default: 4. */
  uint32_t outputs;
  /** Limit for pinned memory. Opening a loader that needs more is refused. 0: a quarter of the
   * memory that this process may still take, divided by `world_size`. Default: 0. */
  uint64_t pinned_budget_bytes;
  /** Limit for the loader's memory on each device: packed batches, outputs and resident records. 0:
   * half of the device memory that is free when the loader opens. Default: 0. */
  uint64_t device_budget_bytes;
  /** Called about every 50 ms while opening loads records into device memory, and when all are
   * loaded. Default: NULL. */
  hotpack_load_progress_function progress;
  /** Passed to progress. Default: NULL. */
  void* progress_user;
  /* </api> */
} hotpack_device_loader_options;

HOTPACK_API hotpack_status
hotpack_device_loader_options_init(hotpack_device_loader_options* options, size_t struct_size);

/** As hotpack_loader_open: allocates the pinned memory, loads records that are to be resident, and
 * starts the threads. *loader becomes a handle even if the call fails. */
HOTPACK_API hotpack_status hotpack_device_loader_open(const hotpack_dataset* dataset,
                                                      const hotpack_device_loader_options* options,
                                                      hotpack_device_loader** loader);
/** As hotpack_loader_close. Does not wait for streams: batches that are not released stay valid,
 * and memory that a stream still uses is freed later. */
HOTPACK_API void hotpack_device_loader_close(hotpack_device_loader* loader);
HOTPACK_API const char* hotpack_device_loader_error(const hotpack_device_loader* loader);
HOTPACK_API hotpack_status hotpack_device_loader_error_info(const hotpack_device_loader* loader,
                                                            hotpack_error_info* info);

/** These values never change. They are 0 or "" if the handle failed to open, and 0 for a part that
 * does not exist. A part is the share of a batch that one device has; parts are numbered from 0
 * in the order of the option `devices`. */
HOTPACK_API uint64_t hotpack_device_loader_steps_per_epoch(
    const hotpack_device_loader* loader); /**< the same on every rank */
HOTPACK_API uint64_t hotpack_device_loader_batch_size(
    const hotpack_device_loader* loader); /**< rows of all devices of this rank */
HOTPACK_API uint64_t hotpack_device_loader_part_batch_size(const hotpack_device_loader* loader,
                                                           uint64_t part);
HOTPACK_API uint64_t hotpack_device_loader_parts(const hotpack_device_loader* loader);
HOTPACK_API uint32_t hotpack_device_loader_threads(const hotpack_device_loader* loader);
/** The bytes that next_into needs for a part. Batches of one row may hold records of different
 * sizes; these functions then return the bytes of the largest record. */
HOTPACK_API uint64_t hotpack_device_loader_image_batch_bytes(const hotpack_device_loader* loader,
                                                             uint64_t part);
HOTPACK_API uint64_t hotpack_device_loader_label_batch_bytes(const hotpack_device_loader* loader,
                                                             uint64_t part); /**< 0: unlabeled */
HOTPACK_API const char* hotpack_device_loader_fingerprint(
    const hotpack_device_loader* loader); /**< lives as long as the handle */

typedef struct hotpack_residency_info {
  size_t struct_size;    /**< set by the caller */
  uint64_t packed_bytes; /**< size of the whole data set in that residency */
  const char* reason;    /**< "asked for", "automatic: …"; lives as long as the loader's handle */
  int32_t residency;     /**< HOTPACK_RESIDENCY_…, never AUTO */
  int32_t reserved;      /**< 0 */
} hotpack_residency_info;

HOTPACK_API hotpack_status hotpack_device_loader_residency(hotpack_device_loader* loader,
                                                           hotpack_residency_info* info);

typedef struct hotpack_device_loader_statistics_info {
  size_t struct_size;    /**< set by the caller */
  uint64_t batches;      /**< handed out */
  uint64_t copied_bytes; /**< host to device, all devices, including the load of resident records */
  uint64_t pinned_bytes; /**< in use; constant from open to close */
  uint64_t device_bytes; /**< in use on all devices; constant once every output has been used */
  double wait_seconds;   /**< time that next and next_into waited for a packed batch */
  double load_seconds;   /**< time that open needed to load resident records */
} hotpack_device_loader_statistics_info;

HOTPACK_API hotpack_status hotpack_device_loader_statistics(
    hotpack_device_loader* loader, hotpack_device_loader_statistics_info* info);
/** Device memory of one part, as in the statistics; 0 for a part that does not exist. */
HOTPACK_API uint64_t hotpack_device_loader_device_bytes(const hotpack_device_loader* loader,
                                                        uint64_t part);

/** As hotpack_loader_next, but the batch is in device memory that belongs to the loader. On return,
 * the work that writes it is queued on the streams. `streams` has one stream per part, `count` is
 * their number. Further failures: USAGE for a stream that is being captured (no batch is lost) and
 * while the caller holds `outputs` batches; IO if a call of the driver fails, and from then on at
 * each later call. */
HOTPACK_API hotpack_status hotpack_device_loader_next(hotpack_device_loader* loader,
                                                      void* const* streams, size_t count,
                                                      hotpack_device_batch** batch);
HOTPACK_API hotpack_status hotpack_device_loader_next_timeout(hotpack_device_loader* loader,
                                                              void* const* streams, size_t count,
                                                              int64_t timeout_ms,
                                                              hotpack_device_batch** batch);

/** The caller's memory on a part's device, aligned to 16 bytes; at least image_batch_bytes and
 * label_batch_bytes. NULL with 0 bytes skips the field. Callers pass arrays of this struct, so it
 * never changes. */
typedef struct hotpack_device_buffers {
  void* image;
  uint64_t image_bytes;
  void* label;
  uint64_t label_bytes;
} hotpack_device_buffers;

/** As next, but writes the batch into the caller's memory: `buffers` and `streams` have one element
 * per part. Unless `batch` is NULL, *batch becomes a handle that describes the batch. It holds no
 * memory of the loader, but release it all the same. */
HOTPACK_API hotpack_status hotpack_device_loader_next_into(hotpack_device_loader* loader,
                                                           const hotpack_device_buffers* buffers,
                                                           void* const* streams, size_t count,
                                                           hotpack_device_batch** batch);

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
  uint64_t epoch;
  uint64_t step;       /**< within the epoch, from 0 */
  uint64_t batch_size; /**< rows of all devices of this rank */
  uint64_t num_valid;  /**< rows with a sample */
  uint64_t parts;
} hotpack_device_batch_info;

typedef struct hotpack_device_part_info {
  size_t struct_size; /**< set by the caller */
  void* stream;       /**< the stream that writes the fields */
  uint64_t first_row; /**< its first row in indices, crops and keys */
  uint64_t batch_size;
  uint64_t num_valid;  /**< rows with a sample, which come first */
  hotpack_field image; /**< device memory, contiguous */
  hotpack_field label; /**< data NULL: no label, or skipped by next_into */
  int32_t device;      /**< ordinal */
  int32_t reserved;    /**< 0 */
} hotpack_device_part_info;

/** Pointers from these functions live until the batch is released. */
HOTPACK_API hotpack_status hotpack_device_batch_describe(const hotpack_device_batch* batch,
                                                         hotpack_device_batch_info* info);
HOTPACK_API hotpack_status hotpack_device_batch_part(const hotpack_device_batch* batch,
                                                     uint64_t part, hotpack_device_part_info* info);
/** As hotpack_batch_indices, _crops and _key: for the rows of all parts, in host memory. */
HOTPACK_API const int64_t* hotpack_device_batch_indices(const hotpack_device_batch* batch);
HOTPACK_API const hotpack_crop* hotpack_device_batch_crops(const hotpack_device_batch* batch);
HOTPACK_API const char* hotpack_device_batch_key(const hotpack_device_batch* batch, uint64_t row);
HOTPACK_API const char* hotpack_device_batch_error(const hotpack_device_batch* batch);
HOTPACK_API hotpack_status hotpack_device_batch_error_info(const hotpack_device_batch* batch,
                                                           hotpack_error_info* info);

/** Lets another stream use a part. Work that is queued on `stream` from now on waits until the part
 * is written, and the memory is not reused before all work is done that is queued on `stream` when
 * the batch is released. Call it for every stream that was not passed to next. USAGE for a batch of
 * next_into, whose memory is the caller's. */
HOTPACK_API hotpack_status hotpack_device_batch_record_stream(const hotpack_device_batch* batch,
                                                              void* stream, uint64_t part);

/** As hotpack_batch_share: the memory is reused after all handles are released. Indices, crops,
 * keys and texts live as long as the handle that they were read from. */
HOTPACK_API hotpack_status hotpack_device_batch_share(const hotpack_device_batch* batch,
                                                      hotpack_device_batch** share);
/** Frees the handle; there is no need to wait for streams. The memory is reused after the batch's
 * DLPack tensors are deleted too, and after all work that is queued on its streams by then. */
HOTPACK_API void hotpack_device_batch_release(hotpack_device_batch* batch);

/* ------------------------------------------------------------------------------------- DLPack */

/** Sets *tensor to a field as a tensor that shares the batch's memory: kDLCUDA, compact strides,
 * byte_offset 0. It may outlive the batch's handle and the loader. Any thread may call its deleter,
 * which neither waits nor fails.
 * `stream` is the consumer's stream, numbered as in the DLPack protocol: 1 for the legacy default
 * stream (None in Python), 2 for the per-thread one, or a handle above 2. It is synchronized as in
 * hotpack_device_batch_record_stream. −1 means no synchronization: the consumer must make its work
 * wait for the part's stream, and call the deleter after that work. 0 is refused as ambiguous.
 * HOTPACK_NOT_FOUND for a field without data. USAGE for a batch of next_into. *tensor is NULL
 * unless the result is HOTPACK_OK. */
HOTPACK_API hotpack_status hotpack_device_batch_dlpack(const hotpack_device_batch* batch,
                                                       uint64_t part, int32_t field, int64_t stream,
                                                       struct DLManagedTensorVersioned** tensor);
/** The same in the form before DLPack 1.0, for older consumers. */
HOTPACK_API hotpack_status hotpack_device_batch_dlpack_legacy(const hotpack_device_batch* batch,
                                                              uint64_t part, int32_t field,
                                                              int64_t stream,
                                                              struct DLManagedTensor** tensor);

#ifdef __cplusplus
}
#endif

#endif
