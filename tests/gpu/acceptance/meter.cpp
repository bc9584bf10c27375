#include "gpu/acceptance/meter.hpp"

#include <algorithm>
#include <utility>

#include "base/try.hpp"

namespace hotpack::gpu {

using device::Context;
using device::CurrentContext;

Result<DeviceSession> DeviceSession::open(int ordinal) {
  DeviceSession session;
  HOTPACK_ASSIGN(const auto driver, device::Driver::load());
  HOTPACK_ASSIGN(session.context, Context::retain(driver, ordinal));
  HOTPACK_ASSIGN(session.kernels,
                 device::KernelModules::load(session.context, device::embedded_kernels()));
  HOTPACK_ASSIGN(session.stream, device::Stream::create(session.context));
  return session;
}

Result<TimedEvent> TimedEvent::create(std::shared_ptr<const Context> context, Wait wait) {
  const CurrentContext current(*context);
  HOTPACK_TRY(current.status());
  TimedEvent event;
  HOTPACK_TRY(HOTPACK_DRIVER(context->driver(), EventCreate, &event.handle_,
                             wait == Wait::sleep ? device::kEventBlockingSync : 0U));
  event.context_ = std::move(context);
  return event;
}

TimedEvent::TimedEvent(TimedEvent&& other) noexcept
    : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, nullptr)) {}

TimedEvent& TimedEvent::operator=(TimedEvent&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(handle_, other.handle_);
  return *this;
}

TimedEvent::~TimedEvent() {
  if (handle_ == nullptr) return;
  const CurrentContext current(*context_);
  if (current.status().ok()) context_->api().EventDestroy(handle_);
}

Status TimedEvent::record(device::StreamHandle stream) const {
  return HOTPACK_DRIVER(context_->driver(), EventRecord, handle_, stream);
}

Status TimedEvent::wait() const {
  return HOTPACK_DRIVER(context_->driver(), EventSynchronize, handle_);
}

Result<double> TimedEvent::seconds_since(const TimedEvent& start) const {
  float milliseconds = 0;
  HOTPACK_TRY(
      HOTPACK_DRIVER(context_->driver(), EventElapsedTime, &milliseconds, start.handle_, handle_));
  return static_cast<double>(milliseconds) / 1000;
}

Result<double> seconds_between(const TimedEvent& start, const TimedEvent& end,
                               double host_seconds) {
  HOTPACK_TRY(end.wait());
  HOTPACK_ASSIGN(const double seconds, end.seconds_since(start));
  return seconds > 0 ? seconds : host_seconds;
}

namespace {

constexpr double kMostPieces = 100000;

class Repeat {
 public:
  Repeat(const DeviceSession& session, const Work& once, Enqueue enqueue, TimedEvent start,
         TimedEvent end)
      : session_(session),
        once_(once),
        enqueue_(std::move(enqueue)),
        start_(std::move(start)),
        end_(std::move(end)) {}

  Result<Work> operator()(double seconds) {
    if (seconds_a_piece_ == 0) HOTPACK_TRY(enqueue_(number_++));
    const auto pieces = static_cast<std::uint64_t>(
        seconds_a_piece_ > 0 ? std::clamp(seconds / seconds_a_piece_, 1.0, kMostPieces) : 2.0);
    const double began = now_seconds();
    HOTPACK_TRY(start_.record(session_.stream.handle()));
    for (std::uint64_t piece = 0; piece < pieces; ++piece) HOTPACK_TRY(enqueue_(number_++));
    HOTPACK_TRY(end_.record(session_.stream.handle()));
    HOTPACK_TRY(end_.wait());
    const double host_seconds = now_seconds() - began;
    HOTPACK_ASSIGN(const double spent, seconds_between(start_, end_, host_seconds));
    seconds_a_piece_ = std::max(spent, 1e-9) / static_cast<double>(pieces);
    return Work{spent, once_.samples * pieces, once_.bytes * pieces};
  }

 private:
  const DeviceSession& session_;
  Work once_;
  Enqueue enqueue_;
  TimedEvent start_;
  TimedEvent end_;
  double seconds_a_piece_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace

Result<Measurement> device_measurement(const DeviceSession& session, const Work& once,
                                       Enqueue enqueue) {
  HOTPACK_ASSIGN(TimedEvent start, TimedEvent::create(session.context));
  HOTPACK_ASSIGN(TimedEvent end, TimedEvent::create(session.context, TimedEvent::Wait::sleep));
  const auto repeat =
      std::make_shared<Repeat>(session, once, std::move(enqueue), std::move(start), std::move(end));
  return Measurement([repeat](double seconds) { return (*repeat)(seconds); });
}

}  // namespace hotpack::gpu
