// A long run leaves nothing behind. Also runs that end early, runs that resume, leases that live
// longer than their loader, and forks.

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "device/late_free.hpp"
#include "gpu/compare.hpp"

namespace hotpack::gpu {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kHold{10};  // so long a call that waits for the stream would hang

// Resources of a process.
struct Held {
  std::uint64_t device_bytes = 0;
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
  malloc_trim(0);
  const auto memory = require(machine.context()->memory());
  return {memory.total - memory.free, status_number("VmRSS"), entries("/proc/self/task"),
          entries("/proc/self/fd")};
}

// How much a process may hold more later, because drivers may keep or start something. It is far
// less than a leak in each run would add up to.
struct Slack {
  std::uint64_t device_bytes = 16 << 20;
  std::uint64_t resident_kib = 32 << 10;
  std::size_t handles = stand_in() ? 0 : 8;
};

std::string growth(const std::string& what, std::uint64_t before, std::uint64_t now,
                   std::uint64_t slack) {
  if (now <= before + slack) return "";
  return what + ": " + std::to_string(before) + " before, " + std::to_string(now) + " after; ";
}

// Names the resources that grew; empty if none did.
std::string growth(const Held& before, const Held& now, const Slack& slack) {
  return growth("bytes of the device", before.device_bytes, now.device_bytes, slack.device_bytes) +
         growth("KiB of the host", before.resident_kib, now.resident_kib, slack.resident_kib) +
         growth("threads", before.threads, now.threads, slack.handles) +
         growth("descriptors", before.descriptors, now.descriptors, slack.handles);
}

// Checks that resources did not grow. Repeats the check for a second, because a joined thread may
// remain for a moment, and a driver frees memory when it likes.
void check_flat(const Machine& machine, const Held& before, const Slack& slack = {}) {
  const auto end = Clock::now() + std::chrono::seconds(1);
  std::string grown = growth(before, held_now(machine), slack);
  while (!grown.empty() && Clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    grown = growth(before, held_now(machine), slack);
  }
  check(grown.empty(), "what the process holds is flat: " + grown);
}

}  // namespace

// The kernels stay loaded here. The next case loads them again each time.
GPU_CASE(lifetime_1000_early_breaks) {
  const Training training;
  const auto kernels = training.machine.kernels();
  std::optional<Held> before;
  constexpr unsigned kFirst = 50;
  const unsigned rounds = stand_in() ? 60 : 1000;
  for (unsigned round = 0; round < kFirst + rounds; ++round) {
    if (round == kFirst) {
      training.machine.synchronize(training.stream);
      before = held_now(training.machine);
    }
    DeviceLoader loader = training.open(kPlaces.at(round % kPlaces.size()));
    for (unsigned step = 0; step < round % 4; ++step)
      static_cast<void>(next_batch(loader, training.stream));
  }
  training.machine.synchronize(training.stream);
  check_flat(training.machine, *before);
}

// The last loader unloads the kernels, and the next one loads them again.
GPU_CASE(lifetime_kernels_loaded_anew) {
  const Training training;
  std::optional<Held> before;
  constexpr unsigned kFirst = 20, kRounds = 100;
  for (unsigned round = 0; round < kFirst + kRounds; ++round) {
    if (round == kFirst) before = held_now(training.machine);
    std::weak_ptr<const device::KernelModules> kernels;
    {
      DeviceLoader loader = training.open();
      kernels = training.machine.kernels();
      static_cast<void>(next_batch(loader, training.stream));
    }
    training.machine.synchronize(training.stream);
    const auto end = Clock::now() + std::chrono::seconds(5);
    for (device::sweep_late(); !kernels.expired() && Clock::now() < end; device::sweep_late())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    check(kernels.expired(), "the kernels go with the last loader");
  }
  // Some 300 KB and 1 MB a round: less than the kernels are.
  check_flat(training.machine, *before, {.device_bytes = 32 << 20, .resident_kib = 96 << 10});
}

GPU_CASE(lifetime_steady_state) {
  const Training training;
  DeviceLoader loader = training.open();
  for (unsigned step = 0; step < 6; ++step) static_cast<void>(next_batch(loader, training.stream));
  training.machine.synchronize(training.stream);
  const Held before = held_now(training.machine);
  const DeviceLoaderStatistics early = loader.statistics();
  for (unsigned step = 0; step < 500; ++step)
    static_cast<void>(next_batch(loader, training.stream));
  training.machine.synchronize(training.stream);
  check_flat(training.machine, before);
  const DeviceLoaderStatistics late = loader.statistics();
  check_equal(late.pinned_bytes, early.pinned_bytes, "pinned bytes");
  check(late.device_bytes == early.device_bytes, "bytes of the device stay the same");
  check_equal(late.batches, early.batches + 500, "batches");
}

// A run that a new loader or seek resumes at any step continues as the host's run does.
GPU_CASE(lifetime_seek_and_resume) {
  const Training training(22);
  DeviceLoader whole = training.open();
  DeviceLoader seeking = training.open(Residency::device);
  for (std::uint64_t step = 0; step < whole.steps_per_epoch(); ++step) {
    DeviceLoaderOptions options = small_options(Training::batches());
    options.loader.resume = whole.state();
    DeviceLoader resumed = open_device(training.dataset, options);
    require(seeking.restore(whole.state()));
    const DeviceBatch batch = next_batch(whole, training.stream);
    const test::BatchCopy expected = copy_of(training.machine, batch, training.stream);
    check_same(copy_of(training.machine, next_batch(resumed, training.stream), training.stream),
               expected, "resumed");
    check_same(copy_of(training.machine, next_batch(seeking, training.stream), training.stream),
               expected, "restored");
    require(seeking.seek(batch.epoch(), step));
    check_same(copy_of(training.machine, next_batch(seeking, training.stream), training.stream),
               expected, "sought");
  }
}

GPU_CASE(lifetime_lease_outlives_loader) {
  const Training training;
  Loader host = training.open_host();
  std::optional<DeviceBatch> kept;
  {
    DeviceLoader loader = training.open();
    kept = next_batch(loader, training.stream);
  }
  check_same(copy_of(training.machine, *kept, training.stream),
             test::copy_of(test::next_batch(host)), "a lease without its loader");
}

GPU_CASE(lifetime_close_with_work_pending) {
  Training training;
  Loader host = training.open_host();
  DeviceLoader loader = training.open();
  Hold hold(training.machine, training.stream, kHold);
  DeviceBatch batch = next_batch(loader, training.stream);
  check(!hold.over(), "next() does not wait for the stream");
  close_quickly(loader);
  close_quickly(loader);
  check(!hold.over(), "the batch is under way at close()");
  hold.let_go();
  check_same(copy_of(training.machine, batch, training.stream),
             test::copy_of(test::next_batch(host)), "a batch under way at close()");
  static_cast<void>(require_error(loader.next(training.stream), ErrorCode::usage));
}

// Long work of the program delays neither close(), nor the end of the loader, nor the end of a
// lease. The work runs on another stream or on the consumer's.
GPU_CASE(lifetime_close_beside_long_work) {
  const Training training;
  const UserStream other(training.machine, false);
  for (const Residency residency : kPlaces) {
    for (const StreamHandle busy : {other.handle(), training.stream}) {
      std::optional<DeviceLoader> loader = training.open(residency);
      for (unsigned step = 0; step < 4; ++step)
        static_cast<void>(next_batch(*loader, training.stream));
      DeviceBatch kept = next_batch(*loader, training.stream);
      training.machine.synchronize(training.stream);
      Hold work(training.machine, busy, kHold);
      const auto began = Clock::now();
      close_quickly(*loader);
      loader.reset();
      kept.release();
      check(Clock::now() - began < std::chrono::milliseconds(1500),
            "loader and lease go without waiting for the program's work");
      check(!work.over(), "the work is under way all the time");
      work.let_go();
      training.machine.synchronize(busy);
    }
  }
}

// The child of a fork gets an error, not a crash or a hang.
GPU_CASE(lifetime_fork) {
  const Training training;
  DeviceLoader loader = training.open();
  static_cast<void>(next_batch(loader, training.stream));
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const auto refused = loader.next(training.stream);
    loader.close();
    _exit(!refused.ok() && refused.error().code == ErrorCode::usage ? 0 : 1);
  }
  int status = 0;
  check(waitpid(child, &status, 0) == child, "the child ends");
  check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child of a fork gets a `usage` error");
  check_equal(next_batch(loader, training.stream).step(), std::uint64_t{1},
              "the parent goes on: step");
}

namespace {

// Environment variables for a process that exits in the middle of an epoch: its number, and the
// folder of a pack.
constexpr const char *kExitNumber = "HOTPACK_GPU_CHECK_EXIT",
                     *kExitPack = "HOTPACK_GPU_CHECK_EXIT_PACK";

// Static objects, which are destroyed after all exit handlers that are registered later have run.
std::optional<DeviceLoader> loader_of_statics;
std::optional<DeviceBatch> lease_of_statics;

// Exits this process with status 0 while its loader is open. The loader is a local object,
// forgotten, or a static object. SIGALRM ends the process if that takes too long.
[[noreturn]] void exit_in_an_epoch(unsigned number, const std::string& pack) {
  alarm(60);
  Machine machine;
  const UserStream stream(machine, number % 2 == 0);
  DeviceLoaderOptions options =
      small_options(Training::batches(), kPlaces.at(number % kPlaces.size()));
  options.loader.threads = 4;
  options.loader.prefetch_batches = 8;
  DeviceLoader loader = open_device(require(Dataset::open(pack)), options);
  if (number % 4 != 0) machine.keep_busy(stream.handle(), 20);
  for (unsigned step = 0; step < number % 5; ++step) {
    DeviceBatch batch = next_batch(loader, stream.handle());
    if (number % 4 == 1) lease_of_statics = std::move(batch);
  }
  if (number % 4 == 1) loader_of_statics = std::move(loader);
  if (number % 4 == 2) static_cast<void>(new DeviceLoader(std::move(loader)));
  alarm(stand_in() ? 4 : 10);  // hotpack takes a second at most, a driver may take longer
  std::exit(0);
}

// Starts this program again as such a process. Returns its id; -1 if the fork fails.
pid_t start_exit(unsigned number) {
  setenv(kExitNumber, std::to_string(number).c_str(), 1);
  const pid_t child = fork();
  if (child != 0) return child;
  execl("/proc/self/exe", "hotpack_gpu_check", "--run", "lifetime_exit_in_an_epoch", nullptr);
  _exit(1);
}

// Returns how many of four processes may use device 0 at a time.
unsigned at_once() {
  constexpr int kComputeMode = 20,
                kAnyNumber = 0;  // CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, CU_COMPUTEMODE_DEFAULT
  int mode = kAnyNumber;
  static_cast<void>(
      require(device::Driver::load())->api().DeviceGetAttribute(&mode, kComputeMode, 0));
  return mode == kAnyNumber ? 4 : 1;
}

std::string end_text(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return "it hangs";
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

// Programs that exit without closing a loader end soon, with their own status. Each runs in a new
// process.
GPU_CASE(lifetime_exit_in_an_epoch) {
  if (const char* number = std::getenv(kExitNumber); number != nullptr)
    exit_in_an_epoch(static_cast<unsigned>(std::stoul(number)), std::getenv(kExitPack));
  if (const auto reason = no_device()) throw Skip(*reason);
  test::TinyForm form;
  form.size = Extent{256, 192};
  const test::TinyPack pack(form, 64, 32);
  setenv(kExitPack, pack.folder().c_str(), 1);
  constexpr unsigned kProcesses = 20;
  const unsigned together = at_once();
  std::string problem;
  for (unsigned first = 0; first < kProcesses; first += together) {
    std::vector<pid_t> children;
    for (unsigned number = first; number < first + together; ++number)
      children.push_back(start_exit(number));
    for (unsigned number = first; number < first + together; ++number) {
      int status = 1;
      const pid_t child = children[number - first];
      const bool ended = child > 0 && waitpid(child, &status, 0) == child;
      if (!ended || status != 0)
        problem += "process " + std::to_string(number) + ": " +
                   (ended ? end_text(status) : "not started") + "; ";
    }
  }
  check(problem.empty(), "a process ends in the middle of an epoch: " + problem);
}

}  // namespace hotpack::gpu
