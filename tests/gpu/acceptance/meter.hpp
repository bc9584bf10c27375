// One device under measurement, timed by its own clock.
//
// Ownership: a DeviceSession owns its stream and keeps context and kernels; objects made with it
// must not outlive it. Thread-safety: none; the measuring thread has the context current for as
// long as it measures. Failure: as the room device: `usage` where no device can be used, `io` where
// the driver fails.
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
  // A waiting host thread either sleeps, which leaves its core to others, or spins, which notices
  // the end sooner.
  enum class Wait { spin, sleep };
  [[nodiscard]] static Result<TimedEvent> create(std::shared_ptr<const device::Context> context,
                                                 Wait wait = Wait::spin);
  [[nodiscard]] Status record(device::StreamHandle stream) const;
  [[nodiscard]] Status wait() const;  // until it is over
  // Seconds from `start`; both are over.
  [[nodiscard]] Result<double> seconds_since(const TimedEvent& start) const;

 private:
  std::shared_ptr<const device::Context> context_;
  device::EventHandle handle_ = nullptr;
};

// Gives the session's stream one more piece of the same work; `number` counts pieces.
using Enqueue = std::function<Status(std::uint64_t number)>;

// Measures such pieces, as many as fill the given time, timed on the device. `once`: samples and
// bytes of one piece. The first call enqueues one more piece before: that one loads code and
// touches memory.
[[nodiscard]] Result<Measurement> device_measurement(const DeviceSession& session, const Work& once,
                                                     Enqueue enqueue);

// Seconds between two events, or those on the host's clock where the device describes none.
[[nodiscard]] Result<double> seconds_between(const TimedEvent& start, const TimedEvent& end,
                                             double host_seconds);

}  // namespace hotpack::gpu
