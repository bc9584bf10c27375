#include "gpu/acceptance/batches.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>
#include <utility>

#include "base/try.hpp"

namespace hotpack::gpu {

namespace {

// Sizes of buffers and copies. The buffers are too large for the cache of any device.
constexpr std::uint64_t kStepBytes = std::uint64_t{128} << 20;
constexpr std::uint64_t kStepCopyBytes = std::uint64_t{16} << 20;

}  // namespace

// ---- a step

Result<StepWork> StepWork::make(const DeviceSession& session, double seconds) {
  StepWork work(session);
  HOTPACK_ASSIGN(device::DeviceMemory from,
                 device::DeviceMemory::take(session.context, kStepBytes));
  HOTPACK_ASSIGN(device::DeviceMemory to, device::DeviceMemory::take(session.context, kStepBytes));
  for (const device::DeviceMemory* memory : {&from, &to})
    HOTPACK_TRY(HOTPACK_DRIVER(session.context->driver(), MemsetD8Async, memory->address(), 0x55,
                               kStepBytes, session.stream.handle()));
  work.from_ = std::make_shared<const device::DeviceMemory>(std::move(from));
  work.to_ = std::make_shared<const device::DeviceMemory>(std::move(to));
  HOTPACK_ASSIGN(Measurement copies, device_measurement(session, {0, 1, 0}, [&work](std::uint64_t) {
                   return work.copy_once();
                 }));
  HOTPACK_TRY(copies(0));
  HOTPACK_ASSIGN(const Work measured, copies(std::max(seconds, 0.02)));
  work.copies_ = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::llround(seconds * rate_of(measured).samples_per_second)));
  return work;
}

Status StepWork::copy_once() {
  const std::uint64_t piece = copied_++ % (kStepBytes / kStepCopyBytes) * kStepCopyBytes;
  return HOTPACK_DRIVER(session_->context->driver(), MemcpyDtoDAsync, to_->address() + piece,
                        from_->address() + piece, kStepCopyBytes, session_->stream.handle());
}

Status StepWork::enqueue() {
  for (std::uint64_t copy = 0; copy < copies_; ++copy) HOTPACK_TRY(copy_once());
  return {};
}

// ---- batches

std::uint64_t batch_bytes(const DeviceBatch& batch) {
  std::uint64_t bytes = 0;
  for (const DevicePart& part : batch.parts()) bytes += part.image.bytes + part.label.bytes;
  return bytes;
}

Result<DeviceBatches> DeviceBatches::open(const DeviceSession& session, const Dataset& dataset,
                                          const DeviceLoaderOptions& options, std::uint64_t steps) {
  HOTPACK_ASSIGN(DeviceLoader loader, DeviceLoader::open(dataset, options));
  const std::uint64_t all = loader.steps_per_epoch();
  const unsigned ahead = 2 * options.loader.prefetch_batches;
  return DeviceBatches(session, std::move(loader), ahead, steps < all ? steps : UINT64_MAX);
}

Result<DeviceBatch> DeviceBatches::next(device::StreamHandle stream) {
  if (taken_ == steps_) {
    HOTPACK_TRY(loader_.seek(0, 0));
    taken_ = 0;
  }
  std::optional<DeviceBatch> batch;
  while (!batch) {  // nothing: an epoch's end
    HOTPACK_ASSIGN(batch, loader_.next(stream));
  }
  ++taken_;
  return std::move(*batch);
}

Status DeviceBatches::reach_steady_state() {
  // Touches all outputs, by holding two batches at once. Then takes all batches that were read
  // ahead.
  HOTPACK_ASSIGN(const DeviceBatch first, next());
  for (unsigned batch = 0; batch <= ahead_; ++batch) HOTPACK_TRY(next());
  return {};
}

Result<Work> DeviceBatches::take(double seconds) {
  HOTPACK_ASSIGN(const TimedEvent start, TimedEvent::create(session_->context));
  HOTPACK_ASSIGN(const TimedEvent end, TimedEvent::create(session_->context));
  HOTPACK_TRY(reach_steady_state());
  Work work;
  HOTPACK_TRY(start.record(session_->stream.handle()));
  const double began = now_seconds();
  do {
    HOTPACK_ASSIGN(const DeviceBatch batch, next());
    work.samples += batch.num_valid();
    work.bytes += batch_bytes(batch);
  } while (now_seconds() - began < seconds);
  HOTPACK_TRY(end.record(session_->stream.handle()));
  HOTPACK_TRY(end.wait());
  const double host_seconds = now_seconds() - began;
  HOTPACK_ASSIGN(work.seconds, seconds_between(start, end, host_seconds));
  rest(work.seconds * static_cast<double>(loader_.batch_size()) /
       static_cast<double>(std::max<std::uint64_t>(1, work.samples)));
  return work;
}

void DeviceBatches::rest(double batch_seconds) const {
  std::this_thread::sleep_for(std::chrono::duration<double>(1.5 * (ahead_ + 1) * batch_seconds));
}

namespace {

// The moments of one step on the stream.
struct Marks {
  TimedEvent batch;  // the batch is written
  TimedEvent step;   // the step is over

  static Result<std::vector<Marks>> make(const DeviceSession& session, std::size_t count) {
    std::vector<Marks> all(count);
    for (Marks& marks : all) {
      HOTPACK_ASSIGN(marks.batch, TimedEvent::create(session.context));
      HOTPACK_ASSIGN(marks.step, TimedEvent::create(session.context));
    }
    return all;
  }
};

// Adds a step to the times, and the gap before it.
Status add_step(StreamTimes& times, const Marks& before, const Marks& step) {
  HOTPACK_ASSIGN(const double gap, step.batch.seconds_since(before.step));
  HOTPACK_ASSIGN(const double length, step.step.seconds_since(step.batch));
  times.gaps += gap;
  times.steps += length;
  ++times.count;
  return {};
}

}  // namespace

double idle_share(const StreamTimes& times, double kernel_seconds) {
  const double idle = times.gaps - static_cast<double>(times.count) * kernel_seconds;
  return std::max(0.0, idle) / std::max(times.gaps + times.steps, 1e-9);
}

Result<double> DeviceBatches::kernel_seconds(StepWork& step, double batch_seconds) {
  constexpr std::size_t kQuiet =
      3;  // batches on the device by default, all of them copied after the rest
  HOTPACK_ASSIGN(const std::vector<Marks> marks, Marks::make(*session_, kQuiet));
  const device::StreamHandle stream = session_->stream.handle();
  rest(batch_seconds);
  for (const Marks& mark : marks) {
    HOTPACK_TRY(step.enqueue());  // so that the stream is busy while the host gives it the kernels
    HOTPACK_TRY(mark.step.record(stream));
    HOTPACK_TRY(next());
    HOTPACK_TRY(mark.batch.record(stream));
  }
  HOTPACK_TRY(session_->stream.synchronize());
  std::vector<double> seconds;
  for (const Marks& mark : marks) {
    HOTPACK_ASSIGN(const double gap, mark.batch.seconds_since(mark.step));
    seconds.push_back(gap);
  }
  return median(std::move(seconds));
}

Result<Stall> DeviceBatches::stall(StepWork& step, double batch_seconds, double seconds) {
  constexpr std::size_t kRing = 3;  // marks that are still needed
  constexpr std::uint64_t kLeastSteps = 4;
  HOTPACK_ASSIGN(const std::vector<Marks> marks, Marks::make(*session_, kRing));
  HOTPACK_TRY(reach_steady_state());
  Stall stall;
  HOTPACK_ASSIGN(stall.kernel_seconds, kernel_seconds(step, batch_seconds));
  HOTPACK_TRY(reach_steady_state());
  const device::StreamHandle stream = session_->stream.handle();
  const double waited = loader_.statistics().wait_seconds, began = now_seconds();
  StreamTimes times;
  // The host is one step ahead of the device, as in a real training.
  for (std::uint64_t number = 0; number < kLeastSteps || now_seconds() - began < seconds;
       ++number) {
    const Marks& mark = marks[number % kRing];
    HOTPACK_ASSIGN(const DeviceBatch batch, next());
    HOTPACK_TRY(mark.batch.record(stream));
    HOTPACK_TRY(step.enqueue());
    HOTPACK_TRY(mark.step.record(stream));
    if (number == 0) continue;
    const Marks& last = marks[(number - 1) % kRing];
    HOTPACK_TRY(last.step.wait());
    if (number > 1) HOTPACK_TRY(add_step(times, marks[(number - 2) % kRing], last));
  }
  HOTPACK_TRY(session_->stream.synchronize());
  const double all = now_seconds() - began;
  stall.host = (loader_.statistics().wait_seconds - waited) / all;
  stall.stream = idle_share(times, stall.kernel_seconds);
  stall.step_seconds = times.steps / static_cast<double>(times.count);
  return stall;
}

Result<HeldBytes> DeviceBatches::pinned(std::uint64_t steps) {
  for (unsigned step = 0; step < 3; ++step) HOTPACK_TRY(next());
  HeldBytes held{loader_.statistics().pinned_bytes, 0};
  for (std::uint64_t step = 0; step < steps; ++step) HOTPACK_TRY(next());
  HOTPACK_TRY(session_->stream.synchronize());
  held.at_end = loader_.statistics().pinned_bytes;
  return held;
}

}  // namespace hotpack::gpu
