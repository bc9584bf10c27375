// Failing calls of the driver, threads, and the ends of loaders, batches and processes.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "device_runs.hpp"
#include "support/own_process.hpp"

using namespace hotpack;
using namespace hotpack::test;
using device::StreamHandle;
using std::chrono::milliseconds;

namespace {

// Opens a loader as a program does, takes batches both ways, seeks, and closes. Returns the
// first error.
Status run(const TinyPack& pack, const FakeDriver& fake, Residency residency, StreamHandle stream,
           StreamHandle reader, const DeviceBuffers& buffers) {
  auto driver = device::Driver::make(fake.table());
  if (!driver.ok()) return driver.error();
  auto loader =
      device::open_device_loader(pack.open(), small_batches(3, residency), *driver, fake.kernels());
  if (!loader.ok()) return loader.error();
  const auto use = [&]() -> Status {
    for (int step = 0; step < 6; ++step) {
      auto batch = loader->next(stream, kLong);
      if (!batch.ok()) return batch.error();
      if (!*batch) continue;
      if (Status recorded = (*batch)->record_stream(reader); !recorded.ok()) return recorded;
    }
    auto info = loader->next_into(buffers, stream);
    if (!info.ok()) return info.error();
    return loader->seek(0);
  };
  Status used = use();
  loader->close();
  return used;
}

std::vector<std::string> all_calls() {
  std::vector<std::string> names;
#define HOTPACK_CALL_NAME(name, version, parameters) names.emplace_back(#name);
  HOTPACK_DRIVER_CALLS(HOTPACK_CALL_NAME)
#undef HOTPACK_CALL_NAME
  return names;
}

// Calls whose failure a program cannot or need not see.
const std::set<std::string>& silent_calls() {
  static const std::set<std::string> calls{
      "MemFree",      "MemFreeHost",   "MemFreeAsync", "MemPoolDestroy",
      "EventDestroy", "StreamDestroy", "ModuleUnload", "DevicePrimaryCtxRelease",
      "EventQuery",   "CtxPopCurrent", "GetErrorName", "ThreadExchangeStreamCaptureMode",
      "MemGetInfo",   "GetErrorString"};
  return calls;
}

// Returns the exit code of a child process that runs `body` and reports what it returns.
template <class Body>
int status_of_child(const Body& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool told_of_fork(const auto& result) {
  return !result.ok() && result.error().code == ErrorCode::usage &&
         result.error().message.find("before a fork") != std::string::npos;
}

}  // namespace

// ---- failing calls

TEST_CASE("a call that fails at any time is reported by name and leaks nothing") {
  const TinyPack pack;
  const std::set<std::string> unused{
      "DeviceGetName",   "DeviceTotalMem",  "DevicePrimaryCtxGetState",
      "MemcpyDtoHAsync", "MemcpyDtoDAsync", "MemsetD8Async"};
  for (const std::string& call : all_calls()) {
    // where a wait fails, the context is lost, and with it all work: see the next test
    if (call == "StreamSynchronize" || call == "EventSynchronize") continue;
    std::size_t told = 0;
    for (const Residency residency : {Residency::page, Residency::device}) {
      bool failed = true;
      for (std::uint64_t occurrence = 0; occurrence < 40 && failed; ++occurrence) {
        CAPTURE(call, occurrence, static_cast<int>(residency));
        FakeDriver fake;
        {
          Program program(fake);
          const StreamHandle stream = fake.stream(), reader = fake.stream();
          const DeviceBuffers buffers{program.allocate(4096), 4096, program.allocate(4096), 4096};
          const std::uint64_t before = fake.calls(call);
          fake.fail(call, occurrence, device::code::kLaunchFailed);
          const Status used = run(pack, fake, residency, stream, reader, buffers);
          failed = fake.calls(call) > before + occurrence;
          if (!used.ok()) {
            ++told;
            CHECK_THAT(used.error().describe(), ContainsSubstring("cu" + call));
          }
          fake.run_all();
        }
        if (!silent_calls().contains(call) && call != "CtxPushCurrent") check_nothing_left(fake);
      }
    }
    CAPTURE(call, told);
    CHECK((silent_calls().contains(call) || unused.contains(call) || told > 0));
  }
}

TEST_CASE("a context that fails is reported by every call, and close returns") {
  const TinyPack pack;
  FakeDriver fake;
  {
    Program program(fake);
    DeviceLoader loader = open_on(fake, pack.open(), small_batches(4));
    const DeviceBuffers buffers = program.buffers(loader);
    const StreamHandle stream = fake.stream();
    DeviceBatch batch = next_batch(loader, stream);
    fake.break_context(0, device::code::kIllegalAddress);
    const Error first = next_error(loader, stream);
    CHECK(first.code == ErrorCode::io);
    CHECK_THAT(first.message, ContainsSubstring("a kernel of this process has failed"));
    CHECK(loader.next_into(buffers, stream).error().code == ErrorCode::io);
    CHECK(batch.record_stream(fake.stream()).error().code == ErrorCode::io);
    CHECK(loader.position() == LoaderPosition{0, 1});
    loader.close();
    loader.close();
    CHECK_THAT(loader.seek(0).error().message,
               ContainsSubstring("cuCtxPushCurrent") || ContainsSubstring("closed"));
  }
}

TEST_CASE("the first failure of a launch stays, and its step is not counted") {
  const TinyPack pack;
  FakeDriver fake;
  {
    DeviceLoader loader = open_on(fake, pack.open(), small_batches(4));
    next_batch(loader, nullptr).release();
    fake.fail("LaunchKernel", 0, device::code::kInvalidValue);
    const Error first = next_error(loader, nullptr);
    CHECK_THAT(first.message, ContainsSubstring("cuLaunchKernel failed"));
    CHECK(next_error(loader, nullptr).message == first.message);
    CHECK(loader.seek(0).error().message == first.message);
    CHECK(loader.state().samples == 4);
    CHECK(loader.statistics().batches == 1);
  }
  check_nothing_left(fake);
}

// ---- threads

TEST_CASE("threads share the steps of an epoch, while others seek and look") {
  const TinyPack pack(TinyForm{}, 48, 8);
  FakeDriver fake({.schedule = Schedule::random, .seed = 4});
  {
    DeviceLoader loader = open_on(fake, pack.open(), small_batches(4));
    std::mutex mutex;
    std::multiset<std::uint64_t> steps;
    std::atomic<int> ends = 0;
    std::vector<std::thread> threads;
    for (int number = 0; number < 3; ++number) {
      threads.emplace_back([&, stream = fake.stream()] {
        while (ends == 0) {
          const auto batch = next_or_end(loader, stream);
          const std::lock_guard lock(mutex);
          if (!batch) ++ends;
          if (batch && batch->epoch() == 0) steps.insert(batch->step());
        }
      });
    }
    threads.emplace_back([&] {
      while (ends == 0) {
        static_cast<void>(loader.statistics());
        static_cast<void>(loader.state());
      }
    });
    for (std::thread& thread : threads) thread.join();
    CHECK(steps.size() == 12);
    CHECK(std::set<std::uint64_t>(steps.begin(), steps.end()).size() == 12);

    // seeks while another thread takes batches: every batch is of a step that was wanted
    std::atomic<bool> stop = false;
    std::thread taker([&, stream = fake.stream()] {
      while (!stop) {
        auto batch = loader.next(stream, kLong);
        if (!batch.ok()) throw std::logic_error(batch.error().describe());
      }
    });
    for (std::uint64_t i = 0; i < 200; ++i) REQUIRE(loader.seek(i % 3, i % 12).ok());
    stop = true;
    taker.join();
    REQUIRE(loader.seek(2, 7).ok());
    CHECK(next_batch(loader, nullptr).step() == 7);
  }
  check_nothing_left(fake);
}

TEST_CASE("cancelled and closed loaders say so, and batches stay valid") {
  const TinyPack pack;
  FakeDriver fake;
  {
    DeviceLoader loader = open_on(fake, pack.open(), small_batches(4));
    REQUIRE(loader.seek(0, 3).ok());  // the end: nothing is waited for
    CHECK_FALSE(next_or_end(loader, nullptr));
    loader.cancel();
    CHECK(next_error(loader, nullptr).code == ErrorCode::cancelled);
    REQUIRE(loader.seek(0).ok());
    const DeviceBatch batch = next_batch(loader, nullptr);
    loader.close();
    CHECK(loader.position() == LoaderPosition{0, 1});  // what was handed out, not read ahead
    CHECK_THAT(next_error(loader, nullptr).message, ContainsSubstring("closed"));
    CHECK(batch.batch_size() == 4);  // batches stay valid
    CHECK(batch.record_stream(fake.stream()).ok());
    loader.close();
  }
  check_nothing_left(fake);
}

TEST_CASE("closing while threads take batches at any moment") {
  const TinyPack pack;
  for (int round = 0; round < 50; ++round) {
    FakeDriver fake({.schedule = Schedule::random, .seed = static_cast<std::uint64_t>(round)});
    {
      DeviceLoader loader = open_on(fake, pack.open(), small_batches(4));
      std::thread taker([&, stream = fake.stream()] {
        while (loader.next(stream, kLong).ok()) continue;
      });
      std::this_thread::sleep_for(std::chrono::microseconds(37 * round));
      loader.close();
      taker.join();
    }
    check_nothing_left(fake);
  }
}

// ---- the ends

TEST_CASE("close waits for work that was queued") {
  const TinyPack pack;
  FakeDriver fake;
  {
    Program program(fake);
    DeviceLoader loader = open_on(fake, pack.open(), small_batches(4));
    const DeviceBuffers buffers = program.buffers(loader);
    const StreamHandle stream = fake.stream();
    fake.block(stream);
    REQUIRE(loader.next_into(buffers, stream).ok());
    std::atomic<bool> closed = false;
    std::thread closer([&] {
      loader.close();
      closed = true;
    });
    std::this_thread::sleep_for(milliseconds(30));
    CHECK_FALSE(closed);
    fake.unblock(stream);
    closer.join();
  }
  check_nothing_left(fake);
}

TEST_CASE("the thread's current context is the same after every call") {
  const TinyPack pack;
  FakeDriver fake({.devices = 2});
  {
    const auto other = device::Context::retain(fake.driver(), 1).value();
    const device::CurrentContext current(*other);
    DeviceLoader loader = open_on(fake, pack.open(), small_batches(4));
    const DeviceBatch batch = next_batch(loader, nullptr);
    CHECK(batch.record_stream(device::kPerThreadStream).ok());
    device::StreamHandle stream = nullptr;  // is made in the context that is current
    REQUIRE(fake.table().StreamCreate(&stream, 0) == 0);
    device::ContextHandle owner = nullptr;
    REQUIRE(fake.table().StreamGetCtx(stream, &owner) == 0);
    CHECK(owner == other->handle());
    fake.table().StreamDestroy(stream);
  }
  check_nothing_left(fake);
}

TEST_CASE("a forked child gets errors, and calls no driver to destroy loaders") {
  const TinyPack pack;
  FakeDriver fake;
  {
    Program program(fake);
    std::optional<DeviceLoader> loader = open_on(fake, pack.open(), small_batches(4));
    const DeviceBuffers buffers = program.buffers(*loader);
    std::optional<DeviceBatch> batch = next_batch(*loader, nullptr);
    const auto all = [&fake] {
      std::uint64_t sum = 0;
      for (const std::string& call : all_calls()) sum += fake.calls(call);
      return sum;
    };
    const int status = status_of_child([&] {
      const std::uint64_t calls = all();
      if (!told_of_fork(loader->next(nullptr)) ||
          !told_of_fork(loader->next_into(buffers, nullptr)))
        return false;
      if (!told_of_fork(loader->seek(0)) || !told_of_fork(loader->restore(loader->state())) ||
          !told_of_fork(loader->begin_epoch(1)) || !told_of_fork(batch->record_stream(nullptr)))
        return false;
      if (loader->state().samples != 4 || loader->statistics().batches != 1) return false;
      loader->cancel();
      loader->close();
      batch.reset();
      DeviceLoader moved = std::move(*loader);
      *loader = std::move(moved);
      loader.reset();
      return all() == calls;
    });
    CHECK(status == 0);
    CHECK(next_batch(*loader, nullptr).step() == 1);  // the parent's loader continues
  }
  check_nothing_left(fake);
}

TEST_CASE("a child that is forked while calls wait can destroy their loader") {
  const TinyPack pack(TinyForm{}, 48, 8);
  FakeDriver fake;
  {
    std::optional<DeviceLoader> loader = open_on(fake, pack.open(), small_batches(4));
    const StreamHandle stream = fake.stream();
    fake.block(stream);
    const auto take = [&] {  // one waits for the device, the other for its turn
      for (int step = 0; step < 6; ++step) CHECK(loader->next(stream, kLong).ok());
    };
    std::thread first(take), second(take);
    std::this_thread::sleep_for(milliseconds(50));
    const int status = status_of_child([&] {
      alarm(10);
      loader.reset();
      return true;
    });
    CHECK(status == 0);
    fake.unblock(stream);
    first.join();
    second.join();
  }
  check_nothing_left(fake);
}

// A stand-in that ends before the process as a driver does: pinned memory is gone, and every call
// fails.
static FakeDriver* ending_driver() {
  static FakeDriver* const fake = new FakeDriver;
  static_cast<void>(std::atexit([] {
    fake->tear_down();
    std::this_thread::sleep_for(milliseconds(50));  // for threads that still use it
  }));
  return fake;
}

TEST_CASE("a process that exits with a loader and a batch", "[.]") {
  static FakeDriver* const fake = ending_driver();
  static const TinyPack& pack = *new TinyPack(TinyForm{}, 48, 8);
  DeviceLoaderOptions options = small_batches(48);
  options.loader.prefetch_batches = 64;  // the threads are busy for long
  auto* const loader = new DeviceLoader(open_on(*fake, pack.open(), options));  // never destroyed
  static const DeviceBatch batch = next_batch(*loader, nullptr);
  if (batch.step() == 0) std::exit(0);  // with the threads at work
}

TEST_CASE("a process that exits while records are loaded", "[.]") {
  static FakeDriver* const fake = ending_driver();
  static const TinyPack& pack = *new TinyPack(TinyForm{}, 4000, 500);
  DeviceLoaderOptions options = small_batches(1, Residency::device);
  options.loader.memory_budget_bytes = std::uint64_t{64} << 10;  // many batches of few records
  options.progress = [](const LoadProgress&) -> bool { std::exit(0); };
  static_cast<void>(try_open(*fake, pack.open(), options));
}

TEST_CASE("the process may exit with open loaders, and while records are loaded") {
  for (int round = 0; round < 5; ++round) {
    CHECK(end_of_process("a process that exits with a loader and a batch") == 0);
    CHECK(end_of_process("a process that exits while records are loaded") == 0);
  }
}
