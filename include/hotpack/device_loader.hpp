// Batches of a data set in the memory of CUDA devices: packed records cross the bus once, a kernel on the caller's stream writes the tensor
// that the model wants.
//
//   auto loader = hotpack::DeviceLoader::open(dataset, {.loader = {.global_batch_size = 32, .image = {…}, .label = {…}}}).value();
//   while (auto batch = loader.next(stream).value()) train(batch->image().data, batch->label().data, stream);
//
// Order, draws, shapes and bytes are those of a Loader with the same LoaderOptions. Several devices in one process share its batch as ranks
// do: with D devices, device d has the rows of rank r·D + d of w·D ranks.
// Nothing here needs CUDA to compile or to link: the driver is looked for at run time. A stream is a CUstream or a cudaStream_t; 0, or
// CU_STREAM_LEGACY, and CU_STREAM_PER_THREAD are streams as good as others, but for stream capture, which is refused. A stream must live
// until the batches that it was given are gone; a device must not be reset while a loader uses it.
// Ownership: the DeviceLoader shares the data set's files, so the Dataset may go first. A DeviceBatch keeps its memory and may outlive the
// loader; memory that a stream still uses is freed once it no longer does, not waited for. A driver may wait for all streams of a device to
// free memory or to unload kernels: only a thread of ours does that, never the one that closes, releases or destroys. At exit threads of
// loaders that are still open are stopped, for two seconds at most where the driver hangs.
// Thread-safety: as Loader. The current context of the calling thread is the same after each call as before. After fork() the child gets
// errors, as CUDA itself cannot be used there.
// Failure: as Loader, an error of the data at exactly its step; `usage` where no device can be used (no driver, no device, a driver that is
// too old, hotpack built without kernels), with what to do; `io` where a call of the driver fails, naming the call and the driver's error.
// After the latter every call gives that error, and close() does not wait for the device.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
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

/// Where the packed records of the whole data set stay between epochs.
enum class Residency {
  page,    ///< in the system's page cache; a batch is gathered into pinned memory and copied to the device
  pinned,  ///< in pinned memory of this process: nothing is read or decompressed; records of 6 MiB and more are copied from where they are
  device,  ///< in the memory of each device: nothing but row numbers crosses the bus
  automatic,  ///< device where the budget allows, else pinned, else page
};

struct DeviceLoaderOptions {
  LoaderOptions loader;         ///< `content` and `allocator` stay at their defaults; `memory_budget_bytes` is not used; `threads`
                                ///< 0: the cores this process may use, at most 4 per device and 4
  std::vector<int> devices{0};  ///< ordinals, each once, as CUDA_VISIBLE_DEVICES shows them
  Residency residency = Residency::page;
  /// Of all pinned memory, slots included; refused beyond it (automatic: not chosen). Default: a quarter of the memory that
  /// this process may still take (what is available, or what its cgroup's limit leaves), divided by `world_size`.
  std::optional<std::uint64_t> pinned_budget_bytes;
  /// Of each device, for packed batches, outputs and residency. Default: half of what is free when the loader is opened.
  std::optional<std::uint64_t> device_budget_bytes;
  unsigned prefetch = 3;  ///< packed batches on each device, the one that kernels read included, 1 … 64. More: longer pauses are bridged
  /// Leases of next() at a time, 0 … 64; their memory is taken at open. 0 for programs that call next_into() alone.
  unsigned outputs = 2;
};

/// A field of a batch in device memory: contiguous, [rows, …], shaped as BatchField's.
struct DeviceField {
  void* data = nullptr;  ///< null: skipped by next_into, or an unlabelled set
  std::uint64_t bytes = 0;
  std::vector<std::int64_t> shape;
  ElementType type = ElementType::u8;
};

/// What one device has of a batch.
struct DevicePart {
  int device = 0;
  CUstream_st* stream = nullptr;  ///< that the fields are written on
  std::size_t first_row = 0;      ///< in indices() and so on
  std::size_t batch_size = 0;     ///< rows
  std::size_t num_valid = 0;      ///< rows that hold a sample: the first ones
  DeviceField image;
  DeviceField label;
};

struct DeviceBatchInfo {
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;
  std::size_t batch_size = 0;  ///< rows of this rank, over all its devices
  std::size_t num_valid = 0;
  std::vector<DevicePart> parts;  ///< a device each, in the order of DeviceLoaderOptions::devices
  std::vector<std::int64_t> indices;
  std::vector<std::string> keys;
  std::vector<SampleCrop> crops;
};

namespace device {
class Core;
class Output;
}  // namespace device

/// A lease of device memory that holds one batch. Copied to share it: the memory is reused once every copy is gone or released, and then
/// only behind what the streams that use it had been given by that time.
class DeviceBatch {
 public:
  DeviceBatch(const DeviceBatch&) = default;
  DeviceBatch(DeviceBatch&&) noexcept = default;
  DeviceBatch& operator=(const DeviceBatch&) = default;
  DeviceBatch& operator=(DeviceBatch&&) noexcept = default;
  ~DeviceBatch() = default;

  [[nodiscard]] const DeviceBatchInfo& info() const;  ///< of a released batch: no rows, no parts
  [[nodiscard]] std::uint64_t epoch() const { return info().epoch; }
  [[nodiscard]] std::uint64_t step() const { return info().step; }
  [[nodiscard]] std::size_t batch_size() const { return info().batch_size; }
  [[nodiscard]] std::size_t num_valid() const { return info().num_valid; }
  [[nodiscard]] const std::vector<DevicePart>& parts() const { return info().parts; }
  [[nodiscard]] const DeviceField& image(std::size_t part = 0) const;  ///< no data for a part that is not there
  [[nodiscard]] const DeviceField& label(std::size_t part = 0) const;
  [[nodiscard]] std::span<const std::int64_t> indices() const { return info().indices; }
  [[nodiscard]] std::string_view key(std::size_t row) const {
    return row < batch_size() ? std::string_view(info().keys[row]) : std::string_view();
  }
  [[nodiscard]] std::span<const SampleCrop> crops() const { return info().crops; }

  /// Work given to `stream` from now on finds the part written, and the memory is not reused before what that stream has been given by the
  /// time of the release. Needed for every stream but the one given to next().
  [[nodiscard]] Status record_stream(CUstream_st* stream, std::size_t part = 0) const;
  /// Ends this copy. Idempotent.
  void release() noexcept { output_.reset(); }

 private:
  friend class device::Core;
  explicit DeviceBatch(std::shared_ptr<device::Output> output) : output_(std::move(output)) {}
  std::shared_ptr<device::Output> output_;
};

/// Memory of the caller on one device that next_into() fills: at least image_batch_bytes() and label_batch_bytes() of that device, aligned
/// to 16 bytes; null with 0 bytes skips the field. Managed memory will do; memory of the host, or of another device, or that is known to
/// end before the buffer does, is refused with code `usage`.
struct DeviceBuffers {
  void* image = nullptr;
  std::uint64_t image_bytes = 0;
  void* label = nullptr;
  std::uint64_t label_bytes = 0;
};

struct ResidencyChoice {
  Residency residency = Residency::page;  ///< never automatic
  std::uint64_t packed_bytes = 0;         ///< of the whole data set as it would be held
  std::string reason;                     ///< "asked for", "automatic: 1.2 GB of packed records fit the device budget of 30 GB", …
};

struct DeviceLoaderStatistics {
  std::uint64_t batches = 0;       ///< handed out
  double wait_seconds = 0;         ///< that consumers waited for a packed batch, but for times when the device was behind with their work
  std::uint64_t copied_bytes = 0;  ///< host to device, all devices, the residency's load included
  std::uint64_t pinned_bytes = 0;  ///< held now; the same from open to close
  std::vector<std::uint64_t> device_bytes;  ///< a device each; the same from open to close, but for leases that end later
  double load_seconds = 0;                  ///< that open() took to make the records resident
};

[[nodiscard]] std::string_view residency_name(Residency residency);  ///< "page", "pinned", "device", "auto"

class DeviceLoader {
 public:
  /// Takes the pinned memory, loads what is to be resident, and starts the threads. Memory of closed loaders that a driver is still freeing
  /// is waited for 0.1 s at most; where memory is lacking without it, 10 s, then the error describes it. The driver itself may wait for
  /// streams of the device to load kernels, where no open loader has them: not to be called while a stream waits for this thread.
  [[nodiscard]] static Result<DeviceLoader> open(const Dataset& dataset, const DeviceLoaderOptions& options = {});
  ~DeviceLoader();  ///< close()
  DeviceLoader(DeviceLoader&&) noexcept;
  DeviceLoader& operator=(DeviceLoader&&) noexcept;

  [[nodiscard]] std::uint64_t steps_per_epoch() const;  ///< the same on every rank
  [[nodiscard]] std::size_t batch_size() const;         ///< rows of this rank's batches, over all its devices
  [[nodiscard]] std::size_t batch_size(std::size_t part) const;
  [[nodiscard]] std::size_t devices() const;
  [[nodiscard]] unsigned threads() const;
  [[nodiscard]] const std::string& fingerprint() const;
  /// Of one part; records of different sizes in batches of one row: of the largest record. 0 for an unlabelled set.
  [[nodiscard]] std::uint64_t image_batch_bytes(std::size_t part = 0) const;
  [[nodiscard]] std::uint64_t label_batch_bytes(std::size_t part = 0) const;
  [[nodiscard]] const ResidencyChoice& residency() const;
  [[nodiscard]] DeviceLoaderStatistics statistics() const;

  /// The next batch in memory of the loader, written by work that is on the streams when this returns; nothing at the end of each epoch.
  /// One stream per device, in the order of the devices. `timeout` as Loader::next. Errors besides Loader's: `usage` where a stream is
  /// being captured (nothing is lost), when every output is leased, and where `outputs` is 0.
  [[nodiscard]] Result<std::optional<DeviceBatch>> next(CUstream_st* stream);  ///< of a loader with one device
  [[nodiscard]] Result<std::optional<DeviceBatch>> next(CUstream_st* stream, std::chrono::milliseconds timeout);
  [[nodiscard]] Result<std::optional<DeviceBatch>> next(std::span<CUstream_st* const> streams);
  [[nodiscard]] Result<std::optional<DeviceBatch>> next(std::span<CUstream_st* const> streams, std::chrono::milliseconds timeout);
  /// The same into memory of the caller, whose business it is when that may be written to again: on its own stream, at once.
  [[nodiscard]] Result<std::optional<DeviceBatchInfo>> next_into(std::span<const DeviceBuffers> buffers,
                                                                 std::span<CUstream_st* const> streams);

  /// As Loader's.
  [[nodiscard]] Status seek(std::uint64_t epoch, std::uint64_t step = 0);
  [[nodiscard]] LoaderState state() const;
  [[nodiscard]] Status restore(const LoaderState& state);
  void cancel() noexcept;
  /// Stops and joins the threads; batches that are still leased stay valid. Does not wait for streams. Idempotent, safe at exit.
  void close() noexcept;

 private:
  explicit DeviceLoader(std::shared_ptr<device::Core> core);
  friend Result<DeviceLoader> make_device_loader(std::shared_ptr<device::Core> core);  ///< of the room `device`
  std::shared_ptr<device::Core> core_;
};

/// What this process can use.
struct CudaDevice {
  int ordinal = 0;
  std::string name;
  int major = 0;  ///< compute capability
  int minor = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t free_bytes = 0;  ///< reported where this process uses the device already, else 0: asking would take memory of it
};

struct CudaInfo {
  int driver_version = 0;  ///< of CUDA, as 13000 for 13.0, that the driver supports
  std::string kernels;     ///< "CUDA 13.0, sm_75 … sm_121": what the embedded kernels were made with and for; "none: …" with why
  std::vector<CudaDevice> devices;
};

/// Failure: as DeviceLoader::open where there is no device. What there is may still not do, as `kernels` are none or not for it:
/// DeviceLoader::open says so.
[[nodiscard]] Result<CudaInfo> cuda_info();

}  // namespace hotpack
