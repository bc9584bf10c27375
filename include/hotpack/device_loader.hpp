// Batches in the memory of CUDA devices: packed records cross the bus once, and a kernel on your
// stream writes the tensor that the model wants.
//
//   hotpack::DeviceLoaderOptions options{
//       .loader = {.global_batch_size = 32, .image = {…}, .label = {…}}};
//   auto loader = hotpack::DeviceLoader::open(dataset, options).value();
//   while (auto batch = loader.next(stream).value())
//     train(batch->image().data, batch->label().data, stream);
//
// Order, crops, shapes and bytes equal those of a Loader with the same LoaderOptions. Several
// devices in one process share a batch as ranks do: with D devices, device d has the rows of rank
// r·D + d of w·D ranks, where r is `rank` and w is `world_size`.
// Programs need no CUDA to compile or link; hotpack looks for the driver at run time. A stream is
// a CUstream or a cudaStream_t. Any stream may be used, also 0 (CU_STREAM_LEGACY) and
// CU_STREAM_PER_THREAD, except while it is being captured. A stream must exist until its batches
// are gone, and a device must not be reset while a loader uses it.
// Ownership: a DeviceLoader shares the files of its Dataset and may outlive it. A DeviceBatch
// keeps its memory and may outlive the loader. Memory that a stream still uses is freed later,
// without waiting: a driver may wait for all streams of a device to free memory or unload
// kernels, and only a thread of the library does that, never the caller. At exit, threads of open
// loaders are stopped; that takes at most two seconds if the driver hangs.
// Thread-safety: as Loader. Each call leaves the thread's current CUDA context as it was. CUDA
// does not work after fork(), so calls in the child return errors.
// Failure: as Loader; an error in the data comes at exactly its step. `usage` if no device can be
// used (no driver, no device, a driver that is too old, hotpack built without kernels); the
// message says what to do. `io` if a call of the driver fails, with the call and the driver's
// error; every later call then returns that error, and close() does not wait for the device.
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
  /// in the memory of each device; only row numbers cross the bus
  device,
  /// device if the budget allows it, else page
  automatic,
};
// </api>

/// Progress of open() in loading the records that stay in device memory.
struct LoadProgress {
  std::uint64_t records_done = 0;
  std::uint64_t records_total = 0;
  std::uint64_t bytes_done = 0;  ///< of packed records
  std::uint64_t bytes_total = 0;
};

struct DeviceLoaderOptions {
  // <api: cpp DeviceLoaderOptions>
  /// Order, output and augmentation, as for a host loader. `content` and the allocator must stay at
  /// their defaults, `memory_budget_bytes` at 0. `threads` = 0 means the cores that this process
  /// may use, but at most 4 per device plus 4. `prefetch_batches` is the number of slots in pinned
  /// memory, and the number of packed batches that each device holds.
  LoaderOptions loader = {};
  /// Ordinals, each once, as CUDA_VISIBLE_DEVICES shows them; without any, device 0.
  std::vector<int> devices{0};
  /// Place of packed records between epochs. Residency::page: in the system's page cache.
  /// Residency::device: in the memory of each device. Residency::automatic: on the device if they
  /// fit its budget, else in the page cache.
  Residency residency = Residency::page;
  /// Batches in device memory that the program may hold at the same time, 0 … 64; their memory is
  /// allocated when the loader opens. With 0, only next_into() can be used.
  unsigned outputs = 4;
  /// Limit for pinned memory. Opening a loader that needs more is refused. Empty: a quarter of the
  /// memory that this process may still take, divided by `world_size`.
  std::optional<std::uint64_t> pinned_budget_bytes = {};
  /// Limit for the loader's memory on each device: packed batches, outputs and resident records.
  /// Empty: half of the device memory that is free when the loader opens.
  std::optional<std::uint64_t> device_budget_bytes = {};
  /// Called about every 50 ms while opening loads records into device memory, and when all are
  /// loaded. Returning false ends open() with `cancelled`, and all memory is then free. It must not
  /// throw.
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

/// The share of a batch that one device has.
struct DevicePart {
  int device = 0;
  CUstream_st* stream = nullptr;  ///< the stream that writes the fields
  std::size_t first_row = 0;      ///< its first row in indices(), keys and crops()
  std::size_t batch_size = 0;     ///< rows
  std::size_t num_valid = 0;      ///< rows with a sample, which come first
  DeviceField image;
  DeviceField label;
};

/// The rows of all devices of this rank, and one part per device.
struct DeviceBatchInfo : BatchRows {
  std::vector<DevicePart> parts;  ///< in the order of DeviceLoaderOptions::devices
};

namespace device {
class Core;
class Output;
}  // namespace device

/// One batch in device memory that the loader lends to the caller. Copies of a DeviceBatch share
/// the memory. The loader reuses the memory when every copy is destroyed or released, and the work
/// that was queued until then on the streams that use the batch is done.
class DeviceBatch {
 public:
  DeviceBatch(const DeviceBatch&) = default;
  DeviceBatch(DeviceBatch&&) noexcept = default;
  DeviceBatch& operator=(const DeviceBatch&) = default;
  DeviceBatch& operator=(DeviceBatch&&) noexcept = default;
  ~DeviceBatch() = default;

  [[nodiscard]] const DeviceBatchInfo& info() const;  ///< after release(): no rows, no parts
  [[nodiscard]] std::uint64_t epoch() const { return info().epoch; }
  [[nodiscard]] std::uint64_t step() const { return info().step; }
  [[nodiscard]] std::size_t batch_size() const { return info().batch_size; }
  [[nodiscard]] std::size_t num_valid() const { return info().num_valid; }
  [[nodiscard]] const std::vector<DevicePart>& parts() const { return info().parts; }
  /// Without data if the part does not exist.
  [[nodiscard]] const DeviceField& image(std::size_t part = 0) const;
  [[nodiscard]] const DeviceField& label(std::size_t part = 0) const;
  [[nodiscard]] std::span<const std::int64_t> indices() const { return info().indices; }
  [[nodiscard]] std::string_view key(std::size_t row) const {
    return row < batch_size() ? std::string_view(info().keys[row]) : std::string_view();
  }
  [[nodiscard]] std::span<const SampleCrop> crops() const { return info().crops; }

  /// Lets a further stream use the part of the batch with this index in parts(). Work that is
  /// queued on `stream` after this call waits until the part is written. After release(), the
  /// loader reuses the memory only when the work queued on `stream` is done. Call this for every
  /// stream that was not passed to next().
  [[nodiscard]] Status record_stream(CUstream_st* stream, std::size_t part = 0) const;
  /// Ends this copy. Idempotent.
  void release() noexcept { output_.reset(); }

 private:
  friend class device::Core;
  explicit DeviceBatch(std::shared_ptr<device::Output> output) : output_(std::move(output)) {}
  std::shared_ptr<device::Output> output_;
};

/// The caller's memory on one device for next_into(): at least image_batch_bytes(part) and
/// label_batch_bytes(part) bytes for the part of that device, aligned to 16 bytes. A null pointer
/// with 0 bytes means that the image or label is not written. Managed memory is accepted. Refused
/// with code `usage`: host memory, memory of another device, and a buffer that is known to be
/// shorter than stated.
struct DeviceBuffers {
  void* image = nullptr;
  std::uint64_t image_bytes = 0;
  void* label = nullptr;
  std::uint64_t label_bytes = 0;
};

struct ResidencyChoice {
  Residency residency = Residency::page;  ///< never automatic
  std::uint64_t packed_bytes = 0;         ///< size of the whole data set in that residency
  /// "asked for", "automatic: 1.2 GB of packed records fit the device budget of 30 GB", …
  std::string reason;
};

struct DeviceLoaderStatistics {
  std::uint64_t batches = 0;  ///< handed out
  /// Time that consumers waited for a packed batch, not counting waits for the device itself.
  double wait_seconds = 0;
  /// Copied from host to device, over all devices, including the load of resident records.
  std::uint64_t copied_bytes = 0;
  std::uint64_t pinned_bytes = 0;  ///< in use; constant from open to close
  /// Per device; constant from open to close, except for leases that end later.
  std::vector<std::uint64_t> device_bytes;
  double load_seconds = 0;  ///< time that open() needed to load resident records
};

/// "page", "device", "auto"
[[nodiscard]] std::string_view residency_name(Residency residency);

class DeviceLoader {
 public:
  /// Allocates the pinned memory, loads the records that `residency` keeps in device memory, and
  /// starts the threads. If a driver is still freeing memory of closed loaders, open()
  /// waits for that up to 0.1 s, or up to 10 s if memory is not enough otherwise. If 10 s are not
  /// enough either, the error says so. Do not call open() while a stream waits for this thread: the
  /// first loader that a process opens loads kernels, and a driver may wait for all streams to do
  /// that.
  [[nodiscard]] static Result<DeviceLoader> open(const Dataset& dataset,
                                                 const DeviceLoaderOptions& options = {});
  ~DeviceLoader();  ///< calls close()
  DeviceLoader(DeviceLoader&&) noexcept;
  DeviceLoader& operator=(DeviceLoader&&) noexcept;

  [[nodiscard]] std::uint64_t steps_per_epoch() const;  ///< the same on every rank
  /// Rows of this rank's batches, over all its devices.
  [[nodiscard]] std::size_t batch_size() const;
  [[nodiscard]] std::size_t batch_size(std::size_t part) const;
  [[nodiscard]] std::size_t devices() const;
  [[nodiscard]] unsigned threads() const;
  [[nodiscard]] const std::string& fingerprint() const;
  /// Bytes of the images of one part of a batch (see DeviceBatch::parts()). If record sizes differ,
  /// a batch has one row; this and the next function then return the bytes of the largest record.
  [[nodiscard]] std::uint64_t image_batch_bytes(std::size_t part = 0) const;
  /// The same; 0 for an unlabeled data set.
  [[nodiscard]] std::uint64_t label_batch_bytes(std::size_t part = 0) const;
  [[nodiscard]] const ResidencyChoice& residency() const;
  [[nodiscard]] DeviceLoaderStatistics statistics() const;

  /// Returns the next batch, in device memory that belongs to the loader, or an empty optional at
  /// the end of each epoch. Pass one stream per device, in the order of the devices. When next()
  /// returns, the work that writes the batch is queued on these streams. `timeout` as in
  /// Loader::next(). Further errors: `usage` if a stream is being captured (no batch is lost) and
  /// if `outputs` is 0, `busy` if the caller holds `outputs` batches already.
  [[nodiscard]] Result<std::optional<DeviceBatch>> next(CUstream_st* stream);  ///< for one device
  [[nodiscard]] Result<std::optional<DeviceBatch>> next(CUstream_st* stream,
                                                        std::chrono::milliseconds timeout);
  [[nodiscard]] Result<std::optional<DeviceBatch>> next(std::span<CUstream_st* const> streams);
  [[nodiscard]] Result<std::optional<DeviceBatch>> next(std::span<CUstream_st* const> streams,
                                                        std::chrono::milliseconds timeout);
  /// Delivers the next batch like next(), but into the caller's memory, one DeviceBuffers per
  /// device. The loader never reuses this memory, so the caller decides when the batch may be
  /// overwritten. Work that the caller queues on the same stream runs after the batch is written.
  [[nodiscard]] Result<std::optional<DeviceBatchInfo>> next_into(
      std::span<const DeviceBuffers> buffers, std::span<CUstream_st* const> streams);

  /// As in Loader.
  [[nodiscard]] Status seek(std::uint64_t epoch, std::uint64_t step = 0);
  [[nodiscard]] Status begin_epoch(std::uint64_t epoch);
  [[nodiscard]] LoaderPosition position() const;
  [[nodiscard]] LoaderState state() const;
  [[nodiscard]] Status restore(const LoaderState& state);
  void cancel() noexcept;
  /// Stops and joins the threads; batches that the caller holds stay valid. Does not wait for
  /// streams. May be called again, and while the program exits.
  void close() noexcept;

 private:
  explicit DeviceLoader(std::shared_ptr<device::Core> core);
  friend Result<DeviceLoader> make_device_loader(std::shared_ptr<device::Core> core);
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
