#include "bench/device_batches.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>
#include <utility>

#include "base/try.hpp"

namespace hotpack::bench {

namespace {

// Pieces of buffers that no cache of a device holds.
constexpr std::uint64_t kStepBytes = std::uint64_t{128} << 20;
constexpr std::uint64_t kStepCopyBytes = std::uint64_t{16} << 20;

}  // namespace

// ---- a step

Result<StepWork> StepWork::make(const Station& station, double seconds) {
  StepWork work(station);
  HOTPACK_ASSIGN(device::DeviceMemory from, device::DeviceMemory::take(station.context, kStepBytes));
  HOTPACK_ASSIGN(device::DeviceMemory to, device::DeviceMemory::take(station.context, kStepBytes));
  work.from_ = std::make_shared<const device::DeviceMemory>(std::move(from));
  work.to_ = std::make_shared<const device::DeviceMemory>(std::move(to));
  HOTPACK_ASSIGN(Turn copies, device_turn(station, {0, 1, 0}, [&work](std::uint64_t) { return work.copy_once(); }));
  HOTPACK_TRY(copies(0));
  HOTPACK_ASSIGN(const Work measured, copies(std::max(seconds, 0.02)));
  work.copies_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(seconds * rate_of(measured).samples_per_second)));
  return work;
}

Status StepWork::copy_once() {
  const std::uint64_t piece = copied_++ % (kStepBytes / kStepCopyBytes) * kStepCopyBytes;
  return HOTPACK_DRIVER(station_->context->driver(), MemcpyDtoDAsync, to_->address() + piece, from_->address() + piece, kStepCopyBytes,
                        station_->stream.handle());
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

Result<DeviceBatches> DeviceBatches::open(const Station& station, const Dataset& dataset, const DeviceLoaderOptions& options,
                                          std::uint64_t steps) {
  HOTPACK_ASSIGN(DeviceLoader loader, DeviceLoader::open(dataset, options));
  const std::uint64_t all = loader.steps_per_epoch();
  const unsigned ahead = options.loader.slots + options.prefetch;
  return DeviceBatches(station, std::move(loader), ahead, steps < all ? steps : UINT64_MAX);
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
  // All outputs are touched: leases of two batches at once, then what was read ahead.
  HOTPACK_ASSIGN(const DeviceBatch first, next());
  for (unsigned batch = 0; batch <= ahead_; ++batch) HOTPACK_TRY(next());
  return {};
}

Result<Work> DeviceBatches::take(double seconds) {
  HOTPACK_ASSIGN(const TimedEvent start, TimedEvent::create(station_->context));
  HOTPACK_ASSIGN(const TimedEvent end, TimedEvent::create(station_->context));
  HOTPACK_TRY(reach_steady_state());
  Work work;
  HOTPACK_TRY(start.record(station_->stream.handle()));
  const double began = now_seconds();
  do {
    HOTPACK_ASSIGN(const DeviceBatch batch, next());
    work.samples += batch.valid();
    work.bytes += batch_bytes(batch);
  } while (now_seconds() - began < seconds);
  HOTPACK_TRY(end.record(station_->stream.handle()));
  HOTPACK_TRY(end.wait());
  const double host_seconds = now_seconds() - began;
  HOTPACK_ASSIGN(work.seconds, seconds_between(start, end, host_seconds));
  // Threads come to rest before something else is measured: about as long as they need to read ahead again.
  const double batch_seconds =
      work.seconds * static_cast<double>(loader_.rows()) / static_cast<double>(std::max<std::uint64_t>(1, work.samples));
  std::this_thread::sleep_for(std::chrono::duration<double>(1.5 * (ahead_ + 1) * batch_seconds));
  return work;
}

namespace {

// The moments of one step on the stream.
struct Marks {
  TimedEvent batch;  // the batch is written
  TimedEvent step;   // the step is over
};

// Pauses between a step and its next batch: what is beyond the kernels' own time, which is that of the quick ones.
double idle_seconds(std::vector<double> gaps) {
  if (gaps.empty()) return 0;
  std::sort(gaps.begin(), gaps.end());
  const double own = gaps[gaps.size() / 10];
  double idle = 0;
  for (const double gap : gaps) idle += std::max(0.0, gap - own);
  return idle;
}

}  // namespace

Result<Stall> DeviceBatches::stall(StepWork& step, double seconds) {
  std::array<Marks, 3> marks;
  for (Marks& mark : marks) {
    HOTPACK_ASSIGN(mark.batch, TimedEvent::create(station_->context));
    HOTPACK_ASSIGN(mark.step, TimedEvent::create(station_->context));
  }
  HOTPACK_TRY(reach_steady_state());
  const device::StreamHandle stream = station_->stream.handle();
  const double waited = loader_.statistics().wait_seconds, began = now_seconds();
  std::vector<double> gaps;
  // As a training does it: the host is one step ahead of the device.
  for (std::uint64_t number = 0; number < 3 || now_seconds() - began < seconds; ++number) {
    const Marks& mark = marks[number % 3];
    HOTPACK_ASSIGN(const DeviceBatch batch, next());
    HOTPACK_TRY(mark.batch.record(stream));
    HOTPACK_TRY(step.enqueue());
    HOTPACK_TRY(mark.step.record(stream));
    if (number == 0) continue;
    const Marks& last = marks[(number - 1) % 3];
    HOTPACK_TRY(last.step.wait());
    if (number == 1) continue;
    HOTPACK_ASSIGN(const double gap, last.batch.seconds_since(marks[(number - 2) % 3].step));
    gaps.push_back(gap);
  }
  HOTPACK_TRY(station_->stream.synchronize());
  const double all = now_seconds() - began;
  return Stall{(loader_.statistics().wait_seconds - waited) / all, idle_seconds(std::move(gaps)) / all};
}

Result<HeldBytes> DeviceBatches::pinned(std::uint64_t steps) {
  for (unsigned step = 0; step < 3; ++step) HOTPACK_TRY(next());
  HeldBytes held{loader_.statistics().pinned_bytes, 0};
  for (std::uint64_t step = 0; step < steps; ++step) HOTPACK_TRY(next());
  HOTPACK_TRY(station_->stream.synchronize());
  held.at_end = loader_.statistics().pinned_bytes;
  return held;
}

}  // namespace hotpack::bench
