// Measures a DeviceLoader: its steady rate, how long a consumer waits for it, and the memory that
// it holds.
//
// Ownership: owns its loader, borrows the DeviceSession. Not thread-safe. Failure: as
// DeviceLoader's functions.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/acceptance/measuring.hpp"
#include "gpu/acceptance/meter.hpp"
#include "hotpack/dataset.hpp"
#include "hotpack/device_loader.hpp"

namespace hotpack::gpu {

// Work on a stream that lasts as long as a step of a training. It consists of as many copies within
// the device as that takes.
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
  std::uint64_t copies_ = 1;  // number of copies per step
  std::uint64_t copied_ = 0;
};

// The waiting of a consumer, as shares of its time. `host` and `stream` may describe the same
// pause.
struct Stall {
  double host = 0;          // share in which next() waited for a packed batch
  double stream = 0;        // share in which the stream had nothing to do between a step and its
                            // next batch, not counting the time of the kernels
  double step_seconds = 0;  // seconds of a step, measured on the device
  double kernel_seconds =
      0;  // seconds of a batch's kernels if its records arrived before the step was over
};

// Times of a stream, summed over several consecutive steps.
struct StreamTimes {
  double gaps = 0;   // seconds from a step to the end of its next batch's kernels
  double steps = 0;  // seconds from there to the end of that step
  std::uint64_t count = 0;
};

// Returns the share of these times in which the stream did nothing. The kernels of a batch take
// `kernel_seconds`, which does not count.
[[nodiscard]] double idle_share(const StreamTimes& times, double kernel_seconds);

struct HeldBytes {
  std::uint64_t after_step_3 = 0;
  std::uint64_t at_end = 0;
};

class DeviceBatches {
 public:
  // Opens the loader. It goes through epochs, and through no more than the first `steps` steps of
  // each.
  [[nodiscard]] static Result<DeviceBatches> open(const DeviceSession& session,
                                                  const Dataset& dataset,
                                                  const DeviceLoaderOptions& options,
                                                  std::uint64_t steps = UINT64_MAX);
  [[nodiscard]] const DeviceLoader& loader() const { return loader_; }
  // Returns the next batch, in the next epoch if one has ended. Its work is queued on the session's
  // stream, or on another stream of the device.
  [[nodiscard]] Result<DeviceBatch> next() { return next(session_->stream.handle()); }
  [[nodiscard]] Result<DeviceBatch> next(device::StreamHandle stream);

  // Takes batches for about `seconds`, timed on the device. Returns the number of samples and the
  // bytes of their tensors. Batches that were read ahead do not count.
  [[nodiscard]] Result<Work> take(double seconds);
  // Measures how long a consumer waits. `batch_seconds` is the time of a batch if there is no other
  // work.
  [[nodiscard]] Result<Stall> stall(StepWork& step, double batch_seconds, double seconds);
  // Returns the pinned bytes of the loader, early and after `steps` more steps.
  [[nodiscard]] Result<HeldBytes> pinned(std::uint64_t steps);

 private:
  DeviceBatches(const DeviceSession& session, DeviceLoader loader, unsigned ahead,
                std::uint64_t steps)
      : session_(&session), loader_(std::move(loader)), ahead_(ahead), steps_(steps) {}
  [[nodiscard]] Status reach_steady_state();
  // Lets the loader's threads come to rest before something else is measured: waits about as long
  // as they need to read ahead again.
  void rest(double batch_seconds) const;
  // Returns the time of the kernels between two steps if the batches are on the device already.
  [[nodiscard]] Result<double> kernel_seconds(StepWork& step, double batch_seconds);

  const DeviceSession* session_;
  DeviceLoader loader_;
  unsigned ahead_;       // batches that may be ready before they are asked for
  std::uint64_t steps_;  // number of steps of an epoch to go through
  std::uint64_t taken_ = 0;
};

[[nodiscard]] std::uint64_t batch_bytes(const DeviceBatch& batch);

}  // namespace hotpack::gpu
