// One device under measurement, timed by its own clock.
//
// Ownership: a DeviceSession owns its stream and keeps context and kernels; objects made with it
// must not outlive it. Not thread-safe: the context is current for the measuring thread as long as
// it measures. Failure: as src/device: `usage` if no device can be used, `io` if the driver fails.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "device/handles.hpp"
#include "device/kernel_modules.hpp"
#include "gpu/acceptance/measuring.hpp"

namespace hotpack::gpu {

struct DeviceSession {
  std::shared_ptr<const device::Context> context;
  std::shared_ptr<const device::KernelModules> kernels;
  device::Stream stream;

  [[nodiscard]] static Result<DeviceSession> open(int ordinal);
};

// An event with a time stamp.
class TimedEvent {
 public:
  TimedEvent() = default;
  ~TimedEvent();
  TimedEvent(TimedEvent&& other) noexcept;
  TimedEvent& operator=(TimedEvent&& other) noexcept;
  // How a host thread waits: it either sleeps, which leaves its core to others, or spins, which
  // notices the end sooner.
  enum class Wait { spin, sleep };
  [[nodiscard]] static Result<TimedEvent> create(std::shared_ptr<const device::Context> context,
                                                 Wait wait = Wait::spin);
  [[nodiscard]] Status record(device::StreamHandle stream) const;
  [[nodiscard]] Status wait() const;  // waits until the event is complete
  // Returns the seconds since `start`. Precondition: both events are complete.
  [[nodiscard]] Result<double> seconds_since(const TimedEvent& start) const;

 private:
  std::shared_ptr<const device::Context> context_;
  device::EventHandle handle_ = nullptr;
};

// Queues one more piece of the same work on the session's stream. `number` is the number of pieces
// before it.
using Enqueue = std::function<Status(std::uint64_t number)>;

// Measures as many pieces of work as fill the given time, timed on the device. `once` has the
// samples and bytes of one piece. The first call queues one piece more before, which loads code and
// touches memory.
[[nodiscard]] Result<Measurement> device_measurement(const DeviceSession& session, const Work& once,
                                                     Enqueue enqueue);

// Returns the seconds between two events. If the device does not measure time, returns
// `host_seconds`.
[[nodiscard]] Result<double> seconds_between(const TimedEvent& start, const TimedEvent& end,
                                             double host_seconds);

}  // namespace hotpack::gpu
