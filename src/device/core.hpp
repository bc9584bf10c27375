// The parts of a DeviceLoader: the stager, which brings packed batches to the devices; the kernels,
// which expand them; and the pool of outputs, which leases take their memory from.
//
// Ownership: the loader and its leases share the Core. The last of these owners closes it, and the
// reaper, the thread of late_free.hpp, destroys it. Thread-safety and failure as DeviceLoader.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "device/cargo.hpp"
#include "device/driver.hpp"
#include "device/handles.hpp"
#include "device/image_launch.hpp"
#include "device/kernel_modules.hpp"
#include "device/known_buffers.hpp"
#include "device/label_launch.hpp"
#include "device/outputs.hpp"
#include "device/stager.hpp"
#include "hotpack/device_loader.hpp"
#include "loader/batch_form.hpp"

namespace hotpack::device {

// The work of one device.
struct Part {
  std::shared_ptr<const Context> context;
  PartRows rows;
  std::optional<ImageLaunch> image;
  std::optional<LabelLaunch> label;  // if there are labels
  OutputBytes bytes;                 // of the largest batch
};

using Streams = std::span<CUstream_st* const>;

class Core : public std::enable_shared_from_this<Core> {
 public:
  [[nodiscard]] static Result<std::shared_ptr<Core>> open(
      const Dataset& dataset, const DeviceLoaderOptions& options,
      const std::shared_ptr<const Driver>& driver, const KernelImages& kernels);
  ~Core() = default;
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  [[nodiscard]] const StepPlan& plan() const { return plan_; }
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  [[nodiscard]] unsigned threads() const { return threads_; }
  [[nodiscard]] std::chrono::milliseconds timeout() const { return timeout_; }
  [[nodiscard]] const LoaderState& first_state() const { return first_state_; }
  [[nodiscard]] const ResidencyChoice& residency() const { return residency_; }
  [[nodiscard]] DeviceLoaderStatistics statistics() const;
  [[nodiscard]] Stager& stager() const { return *stager_; }
  [[nodiscard]] OutputPool& outputs() { return outputs_.value(); }

  [[nodiscard]] Result<std::optional<DeviceBatch>> next(Streams streams,
                                                        std::chrono::milliseconds timeout);
  [[nodiscard]] Result<std::optional<DeviceBatchInfo>> next_into(
      std::span<const DeviceBuffers> buffers, Streams streams);
  void close() noexcept;

 private:
  Core() = default;
  static void end(Core* core) noexcept;  // deletes the Core, except in a forked child
  [[nodiscard]] Status set_up(const Dataset& dataset, const DeviceLoaderOptions& options,
                              const std::shared_ptr<const Driver>& driver,
                              const KernelImages& kernels);
  [[nodiscard]] Status set_parts(const DeviceLoaderOptions& options, const Schema& schema,
                                 const std::shared_ptr<const Driver>& driver,
                                 const KernelImages& kernels);
  [[nodiscard]] Status set_stager(const DeviceLoaderOptions& options, LoadedCargo loaded,
                                  loader::Cursor start);
  [[nodiscard]] Result<std::vector<std::unique_ptr<loader::Slot>>> make_slots(
      unsigned count, const Cargo& cargo) const;
  [[nodiscard]] Result<std::vector<std::unique_ptr<Staged>>> make_staged(unsigned count,
                                                                         const Cargo& cargo) const;

  [[nodiscard]] Status check_streams(Streams streams) const;
  [[nodiscard]] Status check_buffers(std::span<const DeviceBuffers> buffers, const Staged* staged);
  [[nodiscard]] OutputBytes bytes_of(std::size_t part, PixelSize output) const;
  // Queues the kernels of every part on its stream. Then returns the staged memory to the stager,
  // even after a failure. `memory` is the output memory of a lease, or null if the buffers `into`
  // belong to the caller.
  [[nodiscard]] Status expand(Staged& staged, std::span<const DeviceBuffers> into, Streams streams,
                              OutputMemory* memory);
  // Makes every later call return `error`. The batch of `step` does not count as delivered in later
  // states.
  void fail(const Error& error, loader::Cursor step) const;
  [[nodiscard]] Status expand_part(const Staged::Part& staged, const Part& part,
                                   const DeviceBuffers& into, StreamHandle stream,
                                   OutputMemory::Part* output) const;
  [[nodiscard]] static Status launch(const Staged::Part& staged, const Part& part,
                                     const DeviceBuffers& into, StreamHandle stream);
  [[nodiscard]] static Status wait_for_last_use(OutputMemory::Part& output, StreamHandle stream);
  [[nodiscard]] DeviceBatchInfo describe(const Staged& staged, std::span<const DeviceBuffers> into,
                                         Streams streams) const;
  [[nodiscard]] DevicePart describe_part(const Staged& staged, std::size_t number,
                                         const DeviceBuffers& into, StreamHandle stream) const;
  [[nodiscard]] Status prepare_outputs();
  [[nodiscard]] Result<std::optional<DeviceBatch>> lease(Streams streams,
                                                         std::chrono::milliseconds timeout,
                                                         bool& none);
  [[nodiscard]] Result<std::optional<DeviceBatchInfo>> fill(std::span<const DeviceBuffers> buffers,
                                                            Streams streams);

  StepPlan plan_;
  std::optional<loader::BatchForm> form_;
  std::vector<Part> parts_;
  unsigned threads_ = 1;
  std::chrono::milliseconds timeout_{0};
  LoaderState first_state_;
  ResidencyChoice residency_;
  std::uint64_t pinned_bytes_ = 0;
  std::vector<std::uint64_t> device_bytes_;  // not counting outputs
  double load_seconds_ = 0;
  std::uint64_t loaded_bytes_ = 0;  // host to device, during the load
  std::optional<OutputPool> outputs_;
  KnownBuffers known_buffers_;
  std::shared_ptr<Stager> stager_;
  std::atomic<std::uint64_t> batches_{0};
};

}  // namespace hotpack::device
