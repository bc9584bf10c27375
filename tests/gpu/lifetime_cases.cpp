// A long run leaves nothing behind. Also runs that end early, runs that resume, exits in the middle
// and forks, the largest outputs, and, in the end, a device that has failed.

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>

#include "gpu/gpu.hpp"
#include "support/temp_folder.hpp"

namespace hotpack::gpu {

namespace {

using Clock = std::chrono::steady_clock;

// Resources of this process.
struct Held {
  std::uint64_t device_bytes = Machine::bytes().total - Machine::bytes().free;
  std::uint64_t resident_kib = 0;
  std::ptrdiff_t threads = entries("/proc/self/task"), descriptors = entries("/proc/self/fd");

  Held() {
    malloc_trim(0);
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);)
      if (line.starts_with("VmRSS:")) resident_kib = std::stoull(line.substr(6));
  }
  static std::ptrdiff_t entries(const char* folder) {
    return std::distance(std::filesystem::directory_iterator(folder), {});
  }
  // A driver may keep or start something, which is far less than a leak in each of many runs.
  [[nodiscard]] bool more_than(const Held& before) const {
    const int slack = stand_in() ? 0 : 8;
    return device_bytes > before.device_bytes + (16 << 20) ||
           resident_kib > before.resident_kib + (32 << 10) || threads > before.threads + slack ||
           descriptors > before.descriptors + slack;
  }
  // Repeats the check for a second, because a joined thread may remain for a moment.
  void check_flat() const {
    const auto end = Clock::now() + std::chrono::seconds(1);
    while (Held().more_than(*this) && Clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const Held now;
    check(!now.more_than(*this), "flat: " + text() + " before, " + now.text() + " after");
  }
  [[nodiscard]] std::string text() const {
    return std::to_string(device_bytes) + " bytes of the device, " + std::to_string(resident_kib) +
           " KiB, " + std::to_string(threads) + " threads, " + std::to_string(descriptors) +
           " descriptors";
  }
};

}  // namespace

GPU_CASE(lifetime_1000_early_breaks) {
  const Training training;
  const Buffers buffers(training.open());
  std::optional<Held> held;
  constexpr unsigned kFirst = 50, kRounds = 1000;
  for (unsigned round = 0; round < kFirst + kRounds; ++round) {
    if (round == kFirst) held.emplace();
    DeviceLoader loader = training.open(kPlaces[round % 2]);
    for (unsigned step = 0; step < round % 4; ++step) {
      if (round % 8 < 4)
        next_batch(loader, training.stream).release();
      else
        static_cast<void>(require(loader.next_into(buffers.all(), training.stream)));
    }
  }
  CU(StreamSynchronize, training.stream);
  held->check_flat();
}

GPU_CASE(lifetime_steady_state) {
  const Training training;
  for (const Residency residency : kPlaces) {
    DeviceLoader loader = training.open(residency);
    for (unsigned step = 0; step < 6; ++step) next_batch(loader, training.stream).release();
    CU(StreamSynchronize, training.stream);
    const Held held;
    for (unsigned step = 0; step < 500; ++step) next_batch(loader, training.stream).release();
    CU(StreamSynchronize, training.stream);
    held.check_flat();
  }
}

// close() waits for the work of the loader, however long the streams are held, and frees all but
// the batches that the program holds.
GPU_CASE(lifetime_close_beside_long_work) {
  const Training training;
  const UserStream other;
  for (const Residency residency : kPlaces) {
    for (const Stream busy : {Stream{other}, Stream{training.stream}}) {
      Loader host = training.open_host();
      DeviceLoader loader = training.open(residency);
      const Buffers buffers(loader);
      const DeviceBatch kept = next_batch(loader, training.stream);
      const Hold hold(busy, std::chrono::milliseconds(200));
      const auto batch = require(loader.next_into(buffers.all(), training.stream));
      const auto began = Clock::now();
      loader.close();
      loader.close();
      check(Clock::now() - began < std::chrono::seconds(5), "close() returns");
      check_same(training.machine, kept.info(), next_batch(host), training.stream, "kept");
      check_same(training.machine, *batch, next_batch(host), training.stream, "at close()");
      const auto closed = loader.next(training.stream);
      check(!closed.ok() && closed.error().code == ErrorCode::usage, "a closed loader");
    }
  }
}

// The child of a fork gets an error, not a crash or a hang.
GPU_CASE(lifetime_fork) {
  const Training training;
  DeviceLoader loader = training.open();
  DeviceBatch batch = next_batch(loader, training.stream);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const auto refused = loader.next(training.stream);
    batch.release();
    loader.close();
    _exit(!refused.ok() && refused.error().code == ErrorCode::usage ? 0 : 1);
  }
  int status = 0;
  check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
        "the child of a fork gets a `usage` error");
  check(next_batch(loader, training.stream).step() == 1, "the parent goes on");
}

namespace {

constexpr const char *kExitNumber = "HOTPACK_GPU_CHECK_EXIT",
                     *kExitPack = "HOTPACK_GPU_CHECK_EXIT_PACK";

// Static objects, which are destroyed after all exit handlers that are registered later have run.
std::optional<DeviceLoader> static_loader;
std::optional<DeviceBatch> static_batch;

// Exits with status 0 while a loader is open that is a local object, forgotten, or a static object.
[[noreturn]] void exit_in_an_epoch(unsigned number, const std::string& pack) {
  alarm(60);
  Machine machine;
  const UserStream stream(number % 2 == 0);
  DeviceLoaderOptions options = Training::options(kPlaces[number % 2]);
  options.loader.threads = 4;
  DeviceLoader loader = require(DeviceLoader::open(require(Dataset::open(pack)), options));
  if (number % 4 != 0) machine.keep_busy(stream, 20);
  for (unsigned step = 0; step < number % 5; ++step) {
    DeviceBatch batch = next_batch(loader, stream);
    if (number % 4 == 1) static_batch = std::move(batch);
  }
  if (number % 4 == 1) static_loader = std::move(loader);
  if (number % 4 == 2) static_cast<void>(new DeviceLoader(std::move(loader)));
  alarm(10);
  Handle popped = nullptr;
  CU(CtxPopCurrent, &popped);
  std::exit(0);
}

}  // namespace

// Programs that exit without closing a loader end soon, with their own status.
GPU_CASE(lifetime_exit_in_an_epoch) {
  if (const char* const number = std::getenv(kExitNumber); number != nullptr)
    exit_in_an_epoch(static_cast<unsigned>(std::stoul(number)), std::getenv(kExitPack));
  if (const auto reason = no_device()) throw Skip(*reason);
  const test::TinyPack pack({.classes = 12, .size = Extent{256, 192}}, 64, 32);
  setenv(kExitPack, pack.folder().c_str(), 1);
  for (unsigned number = 0; number < 12; ++number) {
    setenv(kExitNumber, std::to_string(number).c_str(), 1);
    const pid_t child = fork();
    if (child == 0) {
      execl("/proc/self/exe", "hotpack_gpu_check", "--run", "lifetime_exit_in_an_epoch", nullptr);
      _exit(1);
    }
    int status = 1;
    const bool ended = waitpid(child, &status, 0) == child;
    check(ended && status == 0,
          "process " + std::to_string(number) + " ends with " +
              (WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                   : "status " + std::to_string(WEXITSTATUS(status))));
  }
}

// A row has more than 2^31 elements; the second one begins beyond them and ends beyond 2^32.
GPU_CASE(large_rows) {
  if (stand_in()) throw Skip("a stand-in has no such memory");
  const Machine machine;
  const std::uint64_t needed = std::uint64_t{40} << 30,
                      host = static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) * 4096;
  if (Machine::bytes().free < needed || host < needed) throw Skip("less than 40 GiB are free");
  const TempFolder folder;
  test::write_large_pack(
      folder.path(), {.storage = LabelStorage::index, .classes = 160, .size = Extent{4096, 4096}},
      2, 1);
  DeviceLoaderOptions options = Training::options();
  options.loader.global_batch_size = 2;
  options.loader.prefetch_batches = 2;
  options.loader.label.dtype = ElementType::u8;
  const UserStream stream;
  for (const AxisOrder order : {AxisOrder::channels_last, AxisOrder::channels_first}) {
    options.loader.label.layout = order;
    compare_with_host(machine, require(Dataset::open(folder.path())), options, "large", stream, 1);
  }
}

// A kernel of the program writes to memory that does not exist, so the context fails. The loader
// reports the driver's error, and close() returns.
GPU_CASE(failures_sticky) {
  if (stand_in()) throw Skip("a stand-in cannot fail so");
  const Training training;
  DeviceLoader loader = training.open();
  DeviceBatch kept = next_batch(loader, training.stream);
  Handle module = nullptr, poke = nullptr;
  CU(ModuleLoadData, &module,
     static_cast<const void*>(".version 7.0\n.target sm_75\n.address_size 64\n"
                              ".visible .entry poke() { .reg .b64 %a; mov.u64 %a, 256;\n"
                              "st.global.u64 [%a], %a; ret; }\n"));
  CU(ModuleGetFunction, &poke, module, "poke");
  CU(LaunchKernel, poke, 1U, 1U, 1U, 1U, 1U, 1U, 0U, training.stream, nullptr, nullptr);
  check(calls().StreamSynchronize(training.stream) != 0, "the context has failed");
  const auto began = std::chrono::steady_clock::now();
  std::string text;
  for (unsigned step = 0; step < 50 && text.empty(); ++step)
    if (auto batch = loader.next(training.stream); !batch.ok()) text = batch.error().describe();
  check(text.find("CUDA_ERROR") != std::string::npos, "the driver's error is reported: " + text);
  const auto again = loader.next(training.stream);
  check(!again.ok() && again.error().describe() == text, "the error comes again");
  kept.release();
  loader.close();
  check(std::chrono::steady_clock::now() - began < std::chrono::seconds(5), "close() returns");
}

}  // namespace hotpack::gpu
