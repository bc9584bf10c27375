// What a long run leaves behind: nothing. Early ends, resumed runs, leases that live longer than their loader, forks.

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "device/late_free.hpp"
#include "gpu/compare.hpp"

namespace hotpack::gpu {

namespace {

using test::TinyForm;
using test::TinyPack;
using Clock = std::chrono::steady_clock;

TinyForm training_form() {
  TinyForm form;
  form.classes = 12;
  form.size = Extent{64, 48};
  return form;
}

LoaderOptions training() {
  LoaderOptions options;
  options.global_batch = 4;
  options.seed = 3;
  options.image = {ElementType::f16, AxisOrder::channels_first, {}, {}};
  options.label.form = LabelForm::one_hot;
  options.label.type = ElementType::f16;
  return options;
}

// What a process holds.
struct Held {
  std::uint64_t device_free = 0;
  std::uint64_t resident_kib = 0;
  std::size_t threads = 0;
  std::size_t descriptors = 0;
};

std::uint64_t status_number(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) return std::stoull(line.substr(name.size() + 1));
  return 0;
}

std::size_t entries(const char* folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

Held held_now(const Machine& machine) {
  device::sweep_late();
  return {machine.free_bytes(), status_number("VmRSS"), entries("/proc/self/task"), entries("/proc/self/fd")};
}

// Allocators and drivers keep a little; a loader that is forgotten 1,000 times is more than that.
void check_flat(const Held& before, const Held& after) {
  constexpr std::uint64_t kDeviceSlack = 16 << 20, kHostSlackKib = 32 << 10;
  check(after.device_free + kDeviceSlack >= before.device_free, "memory of the device is flat: free " + std::to_string(before.device_free) +
                                                                    " before, " + std::to_string(after.device_free) + " after");
  check(after.resident_kib <= before.resident_kib + kHostSlackKib, "memory of the host is flat: " + std::to_string(before.resident_kib) +
                                                                       " KiB before, " + std::to_string(after.resident_kib) + " after");
  check_equal(after.threads, before.threads, "threads");
  check_equal(after.descriptors, before.descriptors, "descriptors");
}

}  // namespace

GPU_CASE(lifetime_1000_early_breaks) {
  const Machine machine;
  const UserStream stream(machine, false);
  const TinyPack pack(training_form(), 40, 16);
  const Dataset dataset = pack.open();
  std::optional<Held> before;
  const unsigned rounds = stand_in() ? 60 : 1000;
  for (unsigned round = 0; round < rounds + 20; ++round) {
    if (round == 20) {
      machine.synchronize(stream.handle());
      before = held_now(machine);
    }
    const auto residency = static_cast<Residency>(round % 3);
    DeviceLoader loader = open_device(dataset, small_options(training(), residency));
    for (unsigned step = 0; step < round % 4; ++step) static_cast<void>(next_batch(loader, stream.handle()));
  }
  machine.synchronize(stream.handle());
  check_flat(*before, held_now(machine));
}

GPU_CASE(lifetime_steady_state) {
  const Machine machine;
  const UserStream stream(machine, false);
  const TinyPack pack(training_form(), 40, 16);
  DeviceLoader loader = open_device(pack.open(), small_options(training()));
  for (unsigned step = 0; step < 6; ++step) static_cast<void>(next_batch(loader, stream.handle()));
  machine.synchronize(stream.handle());
  const Held before = held_now(machine);
  const DeviceLoaderStatistics early = loader.statistics();
  for (unsigned step = 0; step < 500; ++step) static_cast<void>(next_batch(loader, stream.handle()));
  machine.synchronize(stream.handle());
  check_flat(before, held_now(machine));
  const DeviceLoaderStatistics late = loader.statistics();
  check_equal(late.pinned_bytes, early.pinned_bytes, "pinned bytes");
  check(late.device_bytes == early.device_bytes, "bytes of the device stay the same");
  check_equal(late.batches, early.batches + 500, "batches");
}

// A run resumed at every step, by a new loader and by seek, goes on as the host's does.
GPU_CASE(lifetime_seek_and_resume) {
  const Machine machine;
  const UserStream stream(machine, false);
  const TinyPack pack(training_form(), 22, 16);
  const Dataset dataset = pack.open();
  DeviceLoader whole = open_device(dataset, small_options(training()));
  DeviceLoader seeking = open_device(dataset, small_options(training(), Residency::device));
  for (std::uint64_t step = 0; step < whole.steps_per_epoch(); ++step) {
    DeviceLoaderOptions options = small_options(training());
    options.loader.resume = whole.state();
    DeviceLoader resumed = open_device(dataset, options);
    require(seeking.restore(whole.state()));
    const DeviceBatch batch = next_batch(whole, stream.handle());
    const test::BatchCopy expected = copy_of(machine, batch, stream.handle());
    check_same(copy_of(machine, next_batch(resumed, stream.handle()), stream.handle()), expected, "resumed");
    check_same(copy_of(machine, next_batch(seeking, stream.handle()), stream.handle()), expected, "restored");
    require(seeking.seek(batch.epoch(), step));
    check_same(copy_of(machine, next_batch(seeking, stream.handle()), stream.handle()), expected, "sought");
  }
}

GPU_CASE(lifetime_lease_outlives_loader) {
  const Machine machine;
  const UserStream stream(machine, false);
  const TinyPack pack(training_form(), 40, 16);
  Loader host = test::open_loader(pack.open(), training());
  std::optional<DeviceBatch> kept;
  {
    DeviceLoader loader = open_device(pack.open(), small_options(training()));
    kept = next_batch(loader, stream.handle());
  }
  check_same(copy_of(machine, *kept, stream.handle()), test::copy_of(test::next_batch(host)), "a lease without its loader");
}

GPU_CASE(lifetime_close_with_work_pending) {
  Machine machine;
  const UserStream stream(machine, false);
  const TinyPack pack(training_form(), 40, 16);
  Loader host = test::open_loader(pack.open(), training());
  DeviceLoader loader = open_device(pack.open(), small_options(training()));
  machine.hold_up(stream.handle(), std::chrono::milliseconds(300));
  DeviceBatch batch = next_batch(loader, stream.handle());
  const auto began = Clock::now();
  loader.close();
  loader.close();
  check(Clock::now() - began < std::chrono::seconds(1), "close() takes less than a second");
  check_same(copy_of(machine, batch, stream.handle()), test::copy_of(test::next_batch(host)), "a batch under way at close()");
  static_cast<void>(require_error(loader.next(stream.handle()), ErrorCode::usage));
}

// The program's own work, which lasts, holds up neither close() nor the end of the loader: on another stream and on the consumer's.
GPU_CASE(lifetime_close_beside_long_work) {
  const Machine machine;
  const UserStream stream(machine, false), other(machine, false);
  const TinyPack pack(training_form(), 40, 16);
  const Dataset dataset = pack.open();
  constexpr std::chrono::seconds kWork{4};
  for (const Residency residency : {Residency::page, Residency::pinned, Residency::device}) {
    for (const StreamHandle busy : {other.handle(), stream.handle()}) {
      std::optional<DeviceLoader> loader = open_device(dataset, small_options(training(), residency));
      for (unsigned step = 0; step < 4; ++step) static_cast<void>(next_batch(*loader, stream.handle()));
      machine.synchronize(stream.handle());
      machine.hold_up(busy, kWork);
      const auto began = Clock::now();
      loader->close();
      check(Clock::now() - began < std::chrono::seconds(1), "close() takes less than a second");
      loader.reset();
      check(Clock::now() - began < std::chrono::milliseconds(1500), "the loader goes without waiting for the program's work");
      machine.synchronize(busy);
      check(stand_in() || Clock::now() - began > std::chrono::seconds(3), "the work was under way all the time");
    }
  }
}

// The child of a fork gets an error, not a crash or a hang.
GPU_CASE(lifetime_fork) {
  const Machine machine;
  const UserStream stream(machine, false);
  const TinyPack pack(training_form(), 40, 16);
  DeviceLoader loader = open_device(pack.open(), small_options(training()));
  static_cast<void>(next_batch(loader, stream.handle()));
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const auto refused = loader.next(stream.handle());
    loader.close();
    _exit(!refused.ok() && refused.error().code == ErrorCode::usage ? 0 : 1);
  }
  int status = 0;
  check(waitpid(child, &status, 0) == child, "the child ends");
  check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child of a fork gets a `usage` error");
  check_equal(next_batch(loader, stream.handle()).step(), std::uint64_t{1}, "the parent goes on: step");
}

}  // namespace hotpack::gpu
