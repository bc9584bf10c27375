// Measures a DeviceLoader: its steady rate, how long a consumer waits for it, and the memory that
// it holds.
//
// Ownership: owns its loader, borrows the DeviceSession. Thread-safety: none. Failure: as
// DeviceLoader's functions.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/acceptance/measuring.hpp"
#include "gpu/acceptance/meter.hpp"
#include "hotpack/dataset.hpp"
#include "hotpack/device_loader.hpp"

namespace hotpack::gpu {

// Work on a stream that lasts as long as a step of a training would: copies within the device, as
// many as it takes.
class StepWork {
 public:
  [[nodiscard]] static Result<StepWork> make(const DeviceSession& session, double seconds);
  [[nodiscard]] Status enqueue();

 private:
  explicit StepWork(const DeviceSession& session) : session_(&session) {}
  Status copy_once();
  const DeviceSession* session_;
  std::shared_ptr<const device::DeviceMemory> from_;
  std::shared_ptr<const device::DeviceMemory> to_;
  std::uint64_t copies_ = 1;  // of a step
  std::uint64_t copied_ = 0;
};

// Waiting of a consumer, as shares of its time. Both may describe the same pause.
struct Stall {
  double host = 0;    // that next() waited for a packed batch
  double stream = 0;  // that the stream had nothing to do between a step and its next batch, the
                      // kernels' own time not counted
  double step_seconds = 0;  // of a step, as the device tells
  double kernel_seconds =
      0;  // of a batch's kernels where its records were there before the step was over
};

// Times of a stream over several steps, one after the other.
struct StreamTimes {
  double gaps = 0;   // seconds from a step to the end of its next batch's kernels
  double steps = 0;  // and from there to the end of that step
  std::uint64_t count = 0;
};

// The share of those times in which the stream did nothing, where a batch's kernels take
// `kernel_seconds`.
[[nodiscard]] double idle_share(const StreamTimes& times, double kernel_seconds);

struct HeldBytes {
  std::uint64_t after_step_3 = 0;
  std::uint64_t at_end = 0;
};

class DeviceBatches {
 public:
  // Goes through epochs; of each only the first `steps` where that is less than all.
  [[nodiscard]] static Result<DeviceBatches> open(const DeviceSession& session,
                                                  const Dataset& dataset,
                                                  const DeviceLoaderOptions& options,
                                                  std::uint64_t steps = UINT64_MAX);
  [[nodiscard]] const DeviceLoader& loader() const { return loader_; }
  // The next batch, over the ends of epochs, its work on the session's stream, or another one of
  // the device.
  [[nodiscard]] Result<DeviceBatch> next() { return next(session_->stream.handle()); }
  [[nodiscard]] Result<DeviceBatch> next(device::StreamHandle stream);

  // Takes batches for about `seconds`: samples, and bytes of the tensors. Timed on the device;
  // batches that were read ahead do not count.
  [[nodiscard]] Result<Work> take(double seconds);
  // `batch_seconds`: of a batch where nothing else is to do.
  [[nodiscard]] Result<Stall> stall(StepWork& step, double batch_seconds, double seconds);
  // Pinned bytes of the loader, early and after `steps` more steps.
  [[nodiscard]] Result<HeldBytes> pinned(std::uint64_t steps);

 private:
  DeviceBatches(const DeviceSession& session, DeviceLoader loader, unsigned ahead,
                std::uint64_t steps)
      : session_(&session), loader_(std::move(loader)), ahead_(ahead), steps_(steps) {}
  [[nodiscard]] Status reach_steady_state();
  // Threads come to rest before something else is measured: about as long as they need to read
  // ahead again.
  void rest(double batch_seconds) const;
  // Of the kernels between two steps, where the batches are on the device already.
  [[nodiscard]] Result<double> kernel_seconds(StepWork& step, double batch_seconds);

  const DeviceSession* session_;
  DeviceLoader loader_;
  unsigned ahead_;       // batches that may be ready before they are asked for
  std::uint64_t steps_;  // of an epoch to go through
  std::uint64_t taken_ = 0;
};

[[nodiscard]] std::uint64_t batch_bytes(const DeviceBatch& batch);

}  // namespace hotpack::gpu
