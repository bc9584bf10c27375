// Batches in the memory of a CUDA device: packed records cross the bus once, and a kernel on your
// stream writes the tensors that the model wants.
//
//   hotpack::DeviceLoaderOptions options{
//       .loader = {.global_batch_size = 32, .image = {…}, .label = {…}}};
//   auto loader = hotpack::DeviceLoader::open(dataset, options).value();
//   while (auto batch = loader.next(stream).value())
//     train(batch->image().data, batch->label().data, stream);
//
// Order, crops, shapes and bytes equal those of a Loader with the same LoaderOptions. A loader has
// one device. For several devices in one process, open one loader per device, each with its own
// `rank` and with the number of loaders as `world_size`.
// Programs need no CUDA to compile or link; hotpack looks for the driver at run time. A stream is
// a CUstream or a cudaStream_t. Any stream of the device may be used, also 0 (CU_STREAM_LEGACY) and
// CU_STREAM_PER_THREAD, except while it is being captured. A stream must exist until its batches
// are released, and a device must not be reset while a loader uses it.
// Ownership: a DeviceLoader shares the files of its Dataset and may outlive it. A DeviceBatch
// owns its memory and may outlive the loader.
// Thread-safety: as Loader. Each call leaves the thread's current CUDA context as it was. CUDA
// does not work after fork(), so calls in the child return errors.
// Failure: as Loader; an error in the data comes at exactly its step. `usage` if the device cannot
// be used (no driver, no device, a driver that is too old, hotpack built without kernels); the
// message says what to do. `io` if a driver call fails, with the call and the driver's error. If it
// copies or expands a batch, every later call returns that error.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/dataset.hpp"
#include "hotpack/loader.hpp"
#include "hotpack/result.hpp"

struct CUstream_st;

namespace hotpack {

// <api: cpp enum residency>
/// Places of the packed records of the whole data set between epochs.
enum class Residency {
  /// in the system's page cache; each batch is gathered into pinned memory, then copied
  page,
  /// in the device's memory, where opening copies them; only row numbers cross the bus
  device,
  /// device if the budget allows it, else page
  automatic,
};
// </api>

/// Progress of open() in copying records that stay in device memory.
struct LoadProgress {
  std::uint64_t records_done = 0;
  std::uint64_t records_total = 0;
  std::uint64_t bytes_done = 0;  ///< of packed records
  std::uint64_t bytes_total = 0;
};

struct DeviceLoaderOptions {
  // <api: cpp DeviceLoaderOptions>
  /// Order, output, augmentation and resources, as for a host loader. `content` and the allocator
  /// must stay at their defaults.
  LoaderOptions loader = {};
  /// The device's number, as CUDA_VISIBLE_DEVICES shows it.
  int device = 0;
  /// Place of packed records between epochs. Residency::page: in the system's page cache.
  /// Residency::device: in the device's memory. Residency::automatic: on the device if they fit its
  /// budget, else in the page cache.
  Residency residency = Residency::page;
  /// Limit for the loader's memory on the device: packed batches and resident records, not batches
  /// that are handed out. Empty: half of the device memory that is free when the loader opens. 0
  /// allows nothing.
  std::optional<std::uint64_t> device_budget_bytes = {};
  /// Called while opening copies records to device memory, after each batch of them. Returning
  /// false ends open() with `cancelled`, and all memory is then free. It must not throw.
  std::function<bool(const LoadProgress&)> progress = {};
  // </api>
};

/// One field of a batch in device memory: contiguous, [rows, …], with the shapes of BatchField.
struct DeviceField {
  void* data = nullptr;  ///< null: skipped by next_into(), or no label
  std::uint64_t bytes = 0;
  std::vector<std::int64_t> shape;
  ElementType dtype = ElementType::u8;
};

struct DeviceBatchInfo : BatchRows {
  int device = 0;
  CUstream_st* stream = nullptr;  ///< the stream that writes the fields
  DeviceField image;
  DeviceField label;
};

namespace device {
class Core;
class Output;
}  // namespace device

/// One batch that next() returned. Copies of a DeviceBatch share its memory, which is freed when
/// the last copy is destroyed or released, after the work that was queued until then on the streams
/// that use the batch; nobody waits for that.
class DeviceBatch {
 public:
  [[nodiscard]] const DeviceBatchInfo& info() const;  ///< after release(): no rows, no data
  [[nodiscard]] std::uint64_t epoch() const { return info().epoch; }
  [[nodiscard]] std::uint64_t step() const { return info().step; }
  [[nodiscard]] std::size_t batch_size() const { return info().batch_size; }
  [[nodiscard]] std::size_t num_valid() const { return info().num_valid; }
  [[nodiscard]] int device() const { return info().device; }
  [[nodiscard]] CUstream_st* stream() const { return info().stream; }
  [[nodiscard]] const DeviceField& image() const { return info().image; }
  [[nodiscard]] const DeviceField& label() const { return info().label; }
  [[nodiscard]] std::span<const std::int64_t> indices() const { return info().indices; }
  [[nodiscard]] std::string_view key(std::size_t row) const {
    return row < batch_size() ? std::string_view(info().keys[row]) : std::string_view();
  }
  [[nodiscard]] std::span<const SampleCrop> crops() const { return info().crops; }

  /// Lets a further stream use the batch. Work that is queued on `stream` after this call waits
  /// until the batch is written, and the memory is freed only after the work that is queued on
  /// `stream` when the batch is released. Call this for every stream that was not passed to next().
  [[nodiscard]] Status record_stream(CUstream_st* stream) const;
  /// Ends this copy. Idempotent. Do not release a batch while one of its streams is being captured:
  /// its memory then stays allocated until the process ends.
  void release() noexcept { output_.reset(); }

 private:
  friend class device::Core;
  explicit DeviceBatch(std::shared_ptr<device::Output> output) : output_(std::move(output)) {}
  std::shared_ptr<device::Output> output_;
};

/// The caller's memory on the device for next_into(), aligned to 16 bytes; image_batch_bytes() and
/// label_batch_bytes() suffice for every batch. A null pointer with 0 bytes means that the image or
/// label is not written. Managed memory is accepted. Refused with code `usage`: a buffer that is
/// smaller than the batch, host memory and memory of another device.
struct DeviceBuffers {
  void* image = nullptr;
  std::uint64_t image_bytes = 0;
  void* label = nullptr;
  std::uint64_t label_bytes = 0;
};

struct ResidencyChoice {
  Residency residency = Residency::page;  ///< never automatic
  std::uint64_t packed_bytes = 0;         ///< of all records, as they are stored in device memory
  /// "asked for", or "auto: 1234 bytes for packed records fit the device budget of 5678 bytes", …
  std::string reason;
};

struct DeviceLoaderStatistics {
  std::uint64_t batches = 0;       ///< handed out
  double wait_seconds = 0;         ///< time that consumers waited for records, not for the device
  std::uint64_t copied_bytes = 0;  ///< from host to device, including resident records
  std::uint64_t pinned_bytes = 0;  ///< in use; constant from open to close
  std::uint64_t device_bytes = 0;  ///< likewise, without batches that were handed out
  double load_seconds = 0;         ///< time that open() needed to copy resident records
};

/// "page", "device", "auto"
[[nodiscard]] std::string_view residency_name(Residency residency);

class DeviceLoader {
 public:
  /// As in Loader::next(); empty: LoaderOptions::timeout.
  using Timeout = std::optional<std::chrono::milliseconds>;

  /// Allocates pinned memory and device memory, copies the records that `residency` keeps on the
  /// device, and starts the threads. Do not call open() while a stream waits for this thread: it
  /// loads kernels, and a driver may wait for all streams to do that.
  [[nodiscard]] static Result<DeviceLoader> open(const Dataset& dataset,
                                                 const DeviceLoaderOptions& options = {});
  ~DeviceLoader();  ///< calls close()
  DeviceLoader(DeviceLoader&&) noexcept;
  DeviceLoader& operator=(DeviceLoader&&) noexcept;

  [[nodiscard]] std::uint64_t steps_per_epoch() const;  ///< the same on every rank
  [[nodiscard]] std::size_t batch_size() const;         ///< rows of this rank's largest batch
  [[nodiscard]] unsigned threads() const;
  [[nodiscard]] const std::string& fingerprint() const;
  /// Bytes of the images of the largest batch. If records differ in size, a batch has one row; this
  /// and the next function then return the bytes of the largest record.
  [[nodiscard]] std::uint64_t image_batch_bytes() const;
  [[nodiscard]] std::uint64_t label_batch_bytes() const;  ///< 0 for an unlabeled data set
  [[nodiscard]] const ResidencyChoice& residency() const;
  [[nodiscard]] DeviceLoaderStatistics statistics() const;

  /// Returns the next batch, or an empty optional at the end of each epoch. When next() returns,
  /// the work that writes the batch is queued on the stream. The memory is allocated and freed in
  /// the order of the stream's work (cuMemAllocFromPoolAsync). A call waits for the device only if
  /// the program has queued the work of more than `prefetch_batches` batches. Further errors:
  /// `usage` if the stream is being captured or is not a stream of the device, and if the device
  /// has no memory pools; `io` if its memory is lacking. No batch is lost by these.
  [[nodiscard]] Result<std::optional<DeviceBatch>> next(CUstream_st* stream, Timeout timeout = {});
  /// Delivers the next batch like next(), but into the caller's memory. Work that is queued on the
  /// same stream after the call finds the batch written; work that reads the previous contents must
  /// be queued on that stream before the call, or be done. With LastBatch::keep, the last batch may
  /// have fewer rows: read batch_size, because the rest of the buffers keeps rows of an earlier
  /// batch. For a graph of one size use `drop`, or `pad` with num_valid.
  [[nodiscard]] Result<std::optional<DeviceBatchInfo>> next_into(const DeviceBuffers& buffers,
                                                                 CUstream_st* stream,
                                                                 Timeout timeout = {});

  /// As in Loader.
  [[nodiscard]] Status seek(std::uint64_t epoch, std::uint64_t step = 0);
  [[nodiscard]] Status begin_epoch(std::uint64_t epoch);
  [[nodiscard]] LoaderPosition position() const;
  [[nodiscard]] LoaderState state() const;
  [[nodiscard]] Status restore(const LoaderState& state);
  void cancel() noexcept;
  /// Stops the threads, waits for the copies and kernels that are queued, and frees the memory.
  /// Batches that the caller holds stay valid. May be called again, and while the program exits.
  void close() noexcept;

 private:
  friend class device::Core;
  explicit DeviceLoader(std::shared_ptr<device::Core> core);
  std::shared_ptr<device::Core> core_;
};

/// One CUDA device that this process can use.
struct CudaDevice {
  int ordinal = 0;
  std::string name;
  int major = 0;  ///< compute capability
  int minor = 0;
  std::uint64_t memory_bytes = 0;
  /// 0 if this process does not use the device yet: asking would take device memory.
  std::uint64_t free_bytes = 0;
};

struct CudaInfo {
  int driver_version = 0;  ///< the CUDA version that the driver supports, 13000 for 13.0
  /// "CUDA 13.0, sm_75 … sm_121": compiler and architectures of the embedded kernels; or "none: …"
  std::string kernels;
  std::vector<CudaDevice> devices;
};

/// Describes the driver, the embedded kernels and the devices. Failure: as DeviceLoader::open() if
/// there is no device. The list may contain a device for which hotpack has no kernels;
/// DeviceLoader::open() reports that.
[[nodiscard]] Result<CudaInfo> cuda_info();

}  // namespace hotpack
