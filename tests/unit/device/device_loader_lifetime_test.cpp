// Device loaders and leases under creation, destruction, forks, exits, captures and failed
// contexts: nothing hangs and nothing stays behind.
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device_runs.hpp"
#include "hotpack/device_loader.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/sanitizers.hpp"

namespace {

std::atomic<int> threads_left{-1};  // threads that may still start; negative: any number

}  // namespace

// Replaces the C library's function.
extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t* thread,
                                                             const pthread_attr_t* attributes,
                                                             void* (*run)(void*), void* with) {
  static const auto real =
      reinterpret_cast<decltype(&pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
  if (threads_left >= 0 && threads_left-- == 0) {
    threads_left = 0;
    return EAGAIN;
  }
  return real(thread, attributes, run, with);
}

using namespace hotpack;
using namespace hotpack::test;

namespace {

using device::ContextHandle;
using device::kLegacyStream;
using device::kPerThreadStream;
using device::StreamHandle;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Calls of the driver that a test observes or changes. They are plain function pointers, so their
// state is here. One test at a time.
struct PlayedCalls {
  device::DriverTable real;
  std::vector<StreamHandle> streams;   // created so far; a loader creates that of its copies last
  std::function<void()> before_query;  // of an event
  std::function<void()> before_copy;   // to a device
  std::function<bool()> wait_fails;    // of a stream for an event
  std::function<bool()> record_fails;  // of an event, on `watched`
  std::thread::id watched;             // only this thread calls before_query and record_fails
  std::atomic<int> queries{0};         // by that thread
};
PlayedCalls* played = nullptr;

// The table of a driver whose calls go through `calls`, until another test replaces it.
device::DriverTable played_table(const FakeDriver& fake, PlayedCalls& calls) {
  played = &calls;
  calls.real = fake.table();
  calls.watched = std::this_thread::get_id();
  device::DriverTable table = calls.real;
  table.StreamCreate = [](StreamHandle* stream, unsigned flags) {
    const int code = played->real.StreamCreate(stream, flags);
    if (code == device::code::kSuccess) played->streams.push_back(*stream);
    return code;
  };
  table.EventQuery = [](device::EventHandle event) {
    if (std::this_thread::get_id() == played->watched) {
      ++played->queries;
      if (played->before_query) played->before_query();
    }
    return played->real.EventQuery(event);
  };
  table.EventRecord = [](device::EventHandle event, StreamHandle stream) {
    const bool fails = std::this_thread::get_id() == played->watched && played->record_fails &&
                       played->record_fails();
    return fails ? static_cast<int>(device::code::kUnknown)
                 : played->real.EventRecord(event, stream);
  };
  table.MemcpyHtoDAsync = [](device::Pointer to, const void* from, std::size_t bytes,
                             StreamHandle stream) {
    if (played->before_copy) played->before_copy();
    return played->real.MemcpyHtoDAsync(to, from, bytes, stream);
  };
  table.StreamWaitEvent = [](StreamHandle stream, device::EventHandle event, unsigned flags) {
    if (played->wait_fails && played->wait_fails()) return static_cast<int>(device::code::kUnknown);
    return played->real.StreamWaitEvent(stream, event, flags);
  };
  return table;
}

// A pack of six steps, a FakeDriver, and a program with one stream.
struct Scene {
  TinyPack pack{square_form(), 24, 4};
  Dataset dataset = pack.open();
  DeviceLoaderOptions options = device_options(small_batches(4));
  FakeDriver fake;
  std::optional<Program> program;
  Streams streams;

  explicit Scene(FakeOptions fakes = {}) : fake(fakes) {
    program.emplace(fake, fakes.devices);
    streams.push_back(fake.stream());
  }
  [[nodiscard]] DeviceLoader open() const { return open_on(fake, dataset, options); }
  [[nodiscard]] DeviceLoader open(PlayedCalls& calls) const {
    return open_on(played_table(fake, calls), fake, dataset, options);
  }
  [[nodiscard]] std::vector<BatchCopy> host(std::uint64_t epochs = 1) const {
    return host_batches(dataset, options.loader, epochs);
  }
  [[nodiscard]] StreamHandle stream() const { return streams.front(); }
  // Ends the program. Without loaders and leases nothing may be left.
  void check_end() {
    fake.run_all();
    program.reset();
    check_nothing_left(fake);
  }
};

template <class Act>
double seconds_of(const Act& act) {
  const auto begin = steady_clock::now();
  act();
  return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

// Seconds. A close() that waits for a thread that hangs takes 5 s.
constexpr double kPromptly = 4;

std::uint64_t calls_of_all(const FakeDriver& fake) {
  std::uint64_t sum = 0;
#define HOTPACK_COUNT(name, version, parameters) sum += fake.calls(#name);
  HOTPACK_DRIVER_CALLS(HOTPACK_COUNT)
#undef HOTPACK_COUNT
  return sum;
}

// Waits until the feeder has nothing to poll and makes no calls.
void wait_for_calls_to_settle(const FakeDriver& fake) {
  std::uint64_t before = calls_of_all(fake);
  for (int quiet = 0; quiet < 20;) {
    std::this_thread::sleep_for(milliseconds(1));
    const std::uint64_t now = calls_of_all(fake);
    quiet = now == before ? quiet + 1 : 0;
    before = now;
  }
}

bool told_of_fork(const Error& error) {
  return error.code == ErrorCode::usage && error.message.find("before a fork") != std::string::npos;
}

template <class T>
bool told_of_fork(const Result<T>& result) {
  return !result.ok() && told_of_fork(result.error());
}

// The error of a next() that waits while another thread calls `act`.
template <class Act>
Error error_while(DeviceLoader& loader, const Streams& streams, Act act) {
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds(10));  // next() waits by now, or will see the effect
    act();
  });
  const auto begin = steady_clock::now();
  const auto batch = loader.next(streams, kLong);
  CHECK(steady_clock::now() - begin < kLong / 2);  // it was woken
  other.join();
  return batch.ok() ? Error{} : batch.error();
}

template <class Over>
bool comes_true(const Over& over, milliseconds patience = std::chrono::seconds(10)) {
  const auto end = steady_clock::now() + patience;
  while (!over() && steady_clock::now() < end) std::this_thread::sleep_for(milliseconds(1));
  return over();
}

// Takes all batches that fit on the device while the stream is blocked.
std::vector<DeviceBatch> exhaust(Scene& scene, DeviceLoader& loader) {
  scene.fake.block(scene.stream());
  std::vector<DeviceBatch> batches;
  for (unsigned number = 0; number < scene.options.loader.prefetch_batches; ++number)
    batches.push_back(next_batch(loader, scene.streams));
  return batches;
}

// Copies of a loader that opens later hang, except those of the first batches on the device.
struct HangingCopies {
  HangingCopies(Scene& scene, PlayedCalls& calls) {
    scene.options.loader.image.dtype = ElementType::u8;  // no table is copied at open
    calls.before_copy = [this, left = scene.options.loader.prefetch_batches]() mutable {
      if (left > 0) {
        --left;
        return;
      }
      hanging = true;
      static_cast<void>(comes_true([this] { return !hang; }, std::chrono::seconds(30)));
    };
  }
  std::atomic<bool> hang{true}, hanging{false};
};

// Takes two batches and delays the copy of a third one; returns the stream of copies.
StreamHandle block_copies(Scene& scene, const PlayedCalls& calls, DeviceLoader& loader) {
  const StreamHandle copies = calls.streams.back();
  std::vector<DeviceBatch> batches;
  for (unsigned number = 0; number < scene.options.loader.prefetch_batches; ++number)
    batches.push_back(next_batch(loader, scene.streams));
  scene.fake.block(copies);
  const std::uint64_t copied = scene.fake.calls("MemcpyHtoDAsync");
  scene.program->synchronize(scene.streams);
  REQUIRE(comes_true([&] { return scene.fake.calls("MemcpyHtoDAsync") > copied; }));
  return copies;
}

}  // namespace

// ------------------------------------------------------------------------------------------------
// early breaks

TEST_CASE("1,000 abandoned epochs leave threads and descriptors and memory flat") {
  for (const Residency residency : {Residency::page, Residency::device}) {
    Scene scene({.schedule = Schedule::random, .seed = 5});
    scene.options.residency = residency;
    {
      DeviceLoader loader = scene.open();
      const auto leave_early = [&](std::uint64_t epoch) {
        skip(loader, scene.streams, 1 + epoch % 3);
        const std::optional<DeviceBatch> held = next_batch(loader, scene.streams);
        REQUIRE(loader.seek(epoch + 1).ok());
      };
      for (std::uint64_t epoch = 0; epoch < 20; ++epoch) leave_early(epoch);
      const Holdings before;
      const FakeDriver::Held held = scene.fake.held();
      const auto pinned = loader.statistics().pinned_bytes;
      const auto on_device = loader.statistics().device_bytes;
      for (std::uint64_t epoch = 20; epoch < 1020; ++epoch) {
        leave_early(epoch);
        REQUIRE(scene.fake.held() == held);
      }
      check_flat(before);
      CHECK(loader.statistics().pinned_bytes == pinned);
      CHECK(loader.statistics().device_bytes == on_device);
      const DeviceBatch first = next_batch(loader, scene.streams),
                        second = next_batch(loader, scene.streams);  // no output was lost
    }
    scene.check_end();
  }
}

TEST_CASE("1,000 loaders closed early leave nothing behind") {
  Scene scene({.schedule = Schedule::random, .seed = 6});
  const auto open_and_leave = [&](int i) {
    DeviceLoader loader = scene.open();
    if (i % 4 != 0) skip(loader, scene.streams, 2);
    if (i % 4 == 2) loader.close();
  };
  for (int i = 0; i < 20; ++i) open_and_leave(i);
  scene.fake.run_all();
  device::sweep_late();
  const Holdings before;
  const FakeDriver::Held held = scene.fake.held();
  for (int i = 0; i < 1000; ++i) {
    open_and_leave(i);
    scene.fake.run_all();
    device::sweep_late();
    REQUIRE(scene.fake.held() == held);
  }
  check_flat(before);
  scene.check_end();
}

TEST_CASE("refused openings leave nothing behind") {
  Scene scene;
  const FakeDriver::Held held = scene.fake.held();
  for (int i = 0; i < 100; ++i) {
    DeviceLoaderOptions options = scene.options;
    if (i % 3 == 0) options.pinned_budget_bytes = 1;
    if (i % 3 == 1) options.device_budget_bytes = 1;
    if (i % 3 == 2) options.loader.resume = LoaderState{};
    CHECK(open_error(scene.fake, scene.dataset, options).code == ErrorCode::usage);
    REQUIRE(scene.fake.held() == held);
  }
  scene.check_end();
}

TEST_CASE("open fails cleanly if the system cannot start a thread") {
  Scene scene;
  const FakeDriver::Held held = scene.fake.held();
  int left = 0;
  for (bool opened = false; !opened && left < 20; ++left) {
    CAPTURE(left);
    threads_left = left;
    auto loader = device::open_device_loader(scene.dataset, scene.options, scene.fake.driver(),
                                             scene.fake.kernels());
    threads_left = -1;
    opened = loader.ok();
    if (opened) continue;
    CHECK(loader.error().code == ErrorCode::io);
    CHECK_THAT(loader.error().message, ContainsSubstring("cannot start"));
    REQUIRE(scene.fake.held() == held);
  }
  CHECK(left == 4);  // two readers and the feeder
  scene.check_end();
}

TEST_CASE("where no thread frees late the next sweep does") {
  Scene scene;
  const auto held = [&] { return scene.fake.held().pinned_bytes; };
  CHECK(status_of_child([&] {  // if none has started
          const auto context = device::Context::retain(scene.fake.driver(), 0).value();
          threads_left = 0;
          device::let_reaper_work(true);
          device::free_late(std::make_shared<device::PinnedMemory>(
                                device::PinnedMemory::take(context, 100).value()),
                            {});
          if (held() != 100 || device::late_count() != 1) return false;
          device::sweep_late();
          return held() == 0 && device::late_count() == 0;
        }) == 0);
  scene.check_end();
}

TEST_CASE("statistics report the pinned memory and it stays constant until close") {
  for (const Residency residency : {Residency::page, Residency::device}) {
    Scene scene;
    scene.options.residency = residency;
    const std::uint64_t before = scene.fake.held().pinned_bytes;
    DeviceLoader loader = scene.open();
    CAPTURE(std::string(residency_name(residency)));
    const std::uint64_t pinned = loader.statistics().pinned_bytes;
    CHECK(pinned > 0);
    CHECK(scene.fake.held().pinned_bytes == before + pinned);
    std::vector<std::uint64_t> on_device;
    for (std::uint64_t step = 0; step < 40; ++step) {
      if (step % 6 == 5) {
        REQUIRE(loader.seek(step).ok());
      }
      const DeviceBatch batch = next_batch(loader, scene.streams),
                        second = next_batch(loader, scene.streams);
      REQUIRE(loader.statistics().pinned_bytes == pinned);
      REQUIRE(scene.fake.held().pinned_bytes == before + pinned);
      if (step < 3) on_device = loader.statistics().device_bytes;
      REQUIRE(loader.statistics().device_bytes == on_device);
      REQUIRE(loader.seek(step).ok());
    }
    loader.close();
    CHECK(loader.statistics().pinned_bytes == 0);
    scene.fake.run_all();
    device::sweep_late();
    CHECK(scene.fake.held().pinned_bytes == before);
    { const DeviceLoader gone = std::move(loader); }
    scene.check_end();
  }
}

TEST_CASE("statistics describe batches and bytes and waiting") {
  Scene scene;
  scene.options.residency = Residency::device;
  {
    DeviceLoader loader = scene.open();
    const auto at_first = loader.statistics();
    CHECK(at_first.batches == 0);
    CHECK(at_first.load_seconds > 0);
    CHECK(at_first.copied_bytes >=
          24 * (8 * 8 * 3 + 8 * 8));  // images and labels of a byte per pixel
    skip(loader, scene.streams, 3);
    const auto later = loader.statistics();
    CHECK(later.batches == 3);
    CHECK(later.copied_bytes >= at_first.copied_bytes);
    CHECK(later.wait_seconds >= 0);
    CHECK(later.load_seconds == at_first.load_seconds);
    REQUIRE(later.device_bytes.size() == 1);
    CHECK(later.device_bytes[0] > 24 * (8 * 8 * 3 + 8 * 8));
    const auto held = exhaust(scene, loader);
    const double before = loader.statistics().wait_seconds;
    CHECK(next_error(loader, scene.streams, milliseconds(3000)).code == ErrorCode::timeout);
    CHECK(loader.statistics().wait_seconds - before < 2);  // the device is behind, not the loader
    scene.fake.unblock(scene.stream());
  }
  scene.check_end();
}

TEST_CASE("a wait for a batch that is not on the device counts as waiting") {
  Scene scene;
  PlayedCalls calls;
  {
    HangingCopies copies(scene, calls);
    DeviceLoader loader = scene.open(calls);
    skip(loader, scene.streams, scene.options.loader.prefetch_batches);
    scene.fake.run_all();  // the staged memory is free, so the third batch is copied
    REQUIRE(comes_true([&] { return copies.hanging.load(); }));
    const double before = loader.statistics().wait_seconds;
    CHECK(next_error(loader, scene.streams, milliseconds(200)).code == ErrorCode::timeout);
    CHECK(loader.statistics().wait_seconds - before >= 0.15);
    copies.hang = false;
    CHECK(next_batch(loader, scene.streams).step() == scene.options.loader.prefetch_batches);
  }
  scene.check_end();
}

// ------------------------------------------------------------------------------------------------
// leases

TEST_CASE("all outputs leased is an error at once and nothing is lost") {
  Scene scene;
  {
    DeviceLoader loader = scene.open();
    DeviceBatch first = next_batch(loader, scene.streams);
    DeviceBatch copy = first;
    const DeviceBatch second = next_batch(loader, scene.streams);
    std::optional<Error> error;
    CHECK(seconds_of([&] { error = next_error(loader, scene.streams); }) < 5);
    CHECK(error->code == ErrorCode::busy);
    CHECK_THAT(error->message, ContainsSubstring("all outputs are leased"));
    first.release();  // a copy still holds it
    CHECK_THAT(next_error(loader, scene.streams).message,
               ContainsSubstring("all outputs are leased"));
    CHECK(loader.state().samples == 8);
    const auto buffers = scene.program->buffers(loader);
    const auto into = loader.next_into(buffers, scene.streams);  // needs no output
    REQUIRE(into.ok());
    CHECK((*into)->step == 2);
    copy.release();
    CHECK(next_batch(loader, scene.streams).step() == 3);
  }
  scene.check_end();
}

TEST_CASE("next takes memory that is released while it waits for its batch") {
  Scene scene;
  PlayedCalls calls;
  HangingCopies copies(scene, calls);
  scene.options.outputs = 1;
  {
    DeviceLoader loader = scene.open(calls);
    const Streams other{scene.fake.stream()};
    skip(loader, scene.streams, 1);
    DeviceBatch second = next_batch(loader, scene.streams);
    scene.fake.set_capturing(scene.stream(), true);
    second.release();
    scene.fake.run_all();  // the staged memory is free, so the third batch is copied
    REQUIRE(comes_true([&] { return copies.hanging.load(); }));
    std::thread end([&] {
      std::this_thread::sleep_for(milliseconds(50));  // next() waits by now
      scene.fake.set_capturing(scene.stream(), false);
      copies.hang = false;
    });
    const auto third = loader.next(other, kLong);
    end.join();
    REQUIRE(third.ok());
    CHECK((*third)->step() == 2);
  }
  scene.check_end();
}

TEST_CASE("batches outlive the loader and work on other streams") {
  Scene scene({.schedule = Schedule::random, .seed = 8});
  const auto wanted = scene.host();
  std::vector<DeviceBatch> held;
  {
    DeviceLoader loader = scene.open();
    for (int number = 0; number < 2; ++number) held.push_back(next_batch(loader, scene.streams));
  }
  const Streams other{scene.fake.stream()};
  for (const DeviceBatch& batch : held) {
    REQUIRE(batch.record_stream(other[0]).ok());
    scene.program->download(batch, other);
  }
  held.clear();
  device::sweep_late();
  scene.program->synchronize(other);
  check_batches(*scene.program, {wanted.begin(), wanted.begin() + 2});
  scene.check_end();
}

TEST_CASE("a loader that goes ends its work though a lease lives on") {
  Scene scene;
  {
    std::optional<DeviceBatch> batch;
    {
      DeviceLoader loader = scene.open();
      batch = next_batch(loader, scene.streams);
      scene.fake.run_all();
    }
    sweep_until([&] { return scene.fake.held().pinned_blocks == 0; });
    CHECK(scene.fake.held().pinned_blocks == 0);
    CHECK(batch->record_stream(scene.stream()).ok());
  }
  scene.check_end();
}

TEST_CASE("memory is not freed while a blocked stream reads the batch") {
  Scene scene;
  const auto wanted = scene.host();
  const StreamHandle reader = scene.fake.stream();
  {
    std::optional<DeviceBatch> batch;
    {
      DeviceLoader loader = scene.open();
      batch = next_batch(loader, scene.streams);
    }
    scene.fake.block(reader);
    REQUIRE(batch->record_stream(reader).ok());
    scene.program->download(*batch, {reader});
  }
  scene.fake.run_all();
  device::sweep_late();
  CHECK(device::late_count() == 1);
  scene.fake.unblock(reader);
  scene.program->synchronize(reader);
  check_batches(*scene.program, {wanted[0]});
  scene.check_end();
}

TEST_CASE("a batch released after close frees its memory before the loader does") {
  Scene scene;
  {
    DeviceLoader loader = scene.open();
    DeviceBatch first = next_batch(loader, scene.streams);
    const DeviceBatch second = next_batch(loader, scene.streams);
    scene.fake.run_all();
    loader.close();
    const FakeDriver::Held held = scene.fake.held();
    CHECK(loader.statistics().device_bytes.at(0) ==
          2 * (first.image().bytes + first.label().bytes));
    first.release();
    device::sweep_late();
    CHECK(scene.fake.held().device_bytes < held.device_bytes);
    CHECK(loader.statistics().device_bytes.at(0) == second.image().bytes + second.label().bytes);
  }
  scene.check_end();
}

TEST_CASE("record_stream of a released batch and of a part that is not there") {
  Scene scene;
  {
    DeviceLoader loader = scene.open();
    DeviceBatch batch = next_batch(loader, scene.streams);
    CHECK_THAT(batch.record_stream(scene.stream(), 1).error().message,
               ContainsSubstring("there is no part 1; the batch has 1"));
    batch.release();
    CHECK_THAT(batch.record_stream(scene.stream()).error().message,
               ContainsSubstring("was released"));
    batch.release();
  }
  scene.check_end();
}

TEST_CASE("a batch of the per-thread stream may be released by another thread") {
  const TinyPack pack(square_form(), 8, 4);
  const Dataset dataset = pack.open();
  DeviceLoaderOptions options = device_options(small_batches(4));
  options.outputs = 1;
  const auto wanted = host_batches(dataset, options.loader);
  in_all_orders({}, [&](FakeDriver& fake, Program& program) {
    const StreamHandle other = fake.stream();
    DeviceLoader loader = open_on(fake, dataset, options);
    {
      DeviceBatch batch = next_batch(loader, {kPerThreadStream});
      program.download(batch, {kPerThreadStream});
      std::thread([moved = std::move(batch)]() mutable { moved.release(); }).join();
    }
    program.download(next_batch(loader, {other}), {other});
    program.synchronize(other);
    program.synchronize(kPerThreadStream);
    check_batches(program, wanted);
  });
}

// ------------------------------------------------------------------------------------------------
// closing

TEST_CASE("close works twice and after cancel and concurrently and with a batch") {
  for (int kind = 0; kind < 4; ++kind) {
    Scene scene;
    const auto wanted = scene.host();
    {
      DeviceLoader loader = scene.open();
      const DeviceBatch batch = next_batch(loader, scene.streams);
      if (kind == 0) loader.close();
      if (kind == 1) loader.cancel();
      if (kind == 2) {
        std::thread other([&] { loader.close(); });
        loader.close();
        other.join();
      }
      loader.close();
      const auto buffers = scene.program->buffers(loader);
      CHECK(next_error(loader, scene.streams).message == "the loader is closed; open another one");
      CHECK(loader.next_into(buffers, scene.streams).error().message ==
            "the loader is closed; open another one");
      CHECK(loader.seek(0).error().message == "the loader is closed; open another one");
      CHECK_FALSE(loader.restore(loader.state()).ok());
      CHECK(loader.state().samples == 4);
      CHECK(loader.statistics().batches == 1);
      CHECK(loader.statistics().pinned_bytes == 0);
      scene.program->download(batch, scene.streams);
      scene.program->synchronize(scene.streams);
      check_batches(*scene.program, {wanted[0]});
    }
    scene.check_end();
  }
}

TEST_CASE("close does not wait for a blocked stream and frees the memory later") {
  for (const Residency residency : {Residency::page, Residency::device}) {
    Scene scene;
    scene.options.residency = residency;
    const FakeDriver::Held before = scene.fake.held();
    const auto wanted = scene.host();
    {
      DeviceLoader loader = scene.open();
      for (const DeviceBatch& batch : exhaust(scene, loader))
        scene.program->download(batch, scene.streams);
      CHECK(seconds_of([&] { loader.close(); }) < kPromptly);
    }
    CHECK(scene.fake.held().device_blocks > before.device_blocks);
    CHECK(device::late_count() > 0);
    device::sweep_late();
    CHECK(device::late_count() > 0);
    check_no_violations(scene.fake);
    scene.fake.unblock(scene.stream());
    scene.program->synchronize(scene.streams);
    device::sweep_late();
    check_batches(*scene.program, {wanted.begin(), wanted.begin() + 2});
    for (int i = 0; i < 10; ++i) device::sweep_late();
    CHECK(scene.fake.held() == before);
    scene.check_end();
  }
}

TEST_CASE("close completes copies that are about to finish") {
  Scene scene;
  const FakeDriver::Held before = scene.fake.held();
  PlayedCalls calls;
  {
    DeviceLoader loader = scene.open(calls);
    const StreamHandle copies = block_copies(scene, calls, loader);
    calls.before_query = [&] {
      // the third poll of close() finds them on their way
      if (calls.queries == 3) scene.fake.unblock(copies);
    };
    loader.close();
    calls.before_query = nullptr;
    CHECK(calls.queries > 3);
    const auto freed = [&] { return scene.fake.held().pinned_bytes == before.pinned_bytes; };
    sweep_until(freed);
    CHECK(freed());
  }
  scene.check_end();
}

TEST_CASE("slots that a blocked copy reads are not freed before it") {
  Scene scene;
  PlayedCalls calls;
  {
    DeviceLoader loader = scene.open(calls);
    const StreamHandle copies = block_copies(scene, calls, loader);
    const std::uint64_t pinned = loader.statistics().pinned_bytes;
    CHECK(seconds_of([&] { loader.close(); }) < kPromptly);
    for (int looks = 0; looks < 10; ++looks) device::sweep_late();
    CHECK(scene.fake.held().pinned_bytes == pinned);
    check_no_violations(scene.fake);
    scene.fake.unblock(copies);
  }
  scene.check_end();
}

TEST_CASE("close waits for a consumer that has a batch in hand") {
  Scene scene;
  PlayedCalls calls;
  {
    DeviceLoader loader = scene.open(calls);
    std::atomic<bool> closed{false};
    std::thread closer;
    bool closed_too_early = false;
    calls.wait_fails = [&] {  // in next(), after the batch's turn and before its kernels
      if (closer.joinable()) return false;
      closer = std::thread([&] {
        loader.close();
        closed = true;
      });
      std::this_thread::sleep_for(milliseconds(300));
      closed_too_early = closed;
      return false;
    };
    CHECK(next_batch(loader, scene.streams).step() == 0);
    closer.join();
    CHECK_FALSE(closed_too_early);
  }
  scene.check_end();
}

TEST_CASE("a hanging driver delays close and seek by a few seconds at most") {
  Scene scene;
  PlayedCalls calls;
  {
    HangingCopies copies(scene, calls);
    DeviceLoader loader = scene.open(calls);
    skip(loader, scene.streams, 2);
    scene.program->synchronize(scene.streams);
    REQUIRE(comes_true([&] {
      return copies.hanging.load();
    }));  // the thread that feeds the device copies the next one
    std::thread seeker([&] { (void)loader.seek(0).ok(); });
    std::this_thread::sleep_for(milliseconds(50));  // it waits for that thread by now
    CHECK(seconds_of([&] { loader.close(); }) < 15);
    CHECK(next_error(loader, scene.streams).message == "the loader is closed; open another one");
    seeker.join();
    const std::uint64_t held = scene.fake.held().pinned_bytes;
    CHECK(held > 0);  // the copy may be reading it
    { const DeviceLoader gone = std::move(loader); }
    device::sweep_late();
    CHECK(scene.fake.held().pinned_bytes == held);
    copies.hang = false;
    // That thread was the last owner of all this.
    CHECK(comes_true([&] {
      scene.fake.run_all();
      device::sweep_late();
      return scene.fake.held().pinned_bytes == 0 && threads_named("hotpack/feeder").empty();
    }));
  }
  scene.check_end();
}

TEST_CASE("what is left to free is freed by the next loader") {
  Scene scene;
  {
    DeviceLoader loader = scene.open();
    exhaust(scene, loader);
  }
  CHECK(device::late_count() > 0);
  scene.fake.unblock(scene.stream());
  scene.fake.run_all();
  {
    const DeviceLoader other = scene.open();
    CHECK(device::late_count() == 0);
  }
  scene.check_end();
}

TEST_CASE("cancel and close wake a waiting next and seek works after cancel") {
  Scene scene;
  {
    DeviceLoader loader = scene.open();
    {
      const auto held = exhaust(scene, loader);
      CHECK(error_while(loader, scene.streams, [&] { loader.cancel(); }).code ==
            ErrorCode::cancelled);
      CHECK(next_error(loader, scene.streams).code == ErrorCode::cancelled);
      const auto buffers = scene.program->buffers(loader);
      CHECK(loader.next_into(buffers, scene.streams).error().code == ErrorCode::cancelled);
      CHECK(loader.state().samples == 8);
      scene.fake.unblock(scene.stream());
    }
    REQUIRE(loader.restore(loader.state()).ok());
    CHECK(next_batch(loader, scene.streams).step() == 2);
    const auto held = exhaust(scene, loader);
    const Error woken = error_while(loader, scene.streams, [&] { loader.close(); });
    CHECK(woken.message == "the loader is closed; open another one");
    scene.fake.unblock(scene.stream());
  }
  scene.check_end();
}

TEST_CASE("a batch that is late times out and is delivered later") {
  Scene scene;
  scene.options.loader.timeout = milliseconds(5);
  {
    DeviceLoader loader = scene.open();
    {
      const auto held = exhaust(scene, loader);
      const Error late = next_error(loader, scene.streams, milliseconds(7));
      CHECK(late.code == ErrorCode::timeout);
      CHECK_THAT(late.message,
                 ContainsSubstring("step 2 of epoch 0 was not on the device after 7 ms"));
      CHECK_THAT(loader.next(scene.streams).error().message, ContainsSubstring("after 5 ms"));
      const auto buffers = scene.program->buffers(loader);
      CHECK(loader.next_into(buffers, scene.streams).error().code == ErrorCode::timeout);
      CHECK(loader.state().samples == 8);
      scene.fake.unblock(scene.stream());
    }
    CHECK(next_batch(loader, scene.streams).step() == 2);
  }
  scene.check_end();
}

TEST_CASE("a wait without an end and times that no clock can tell") {
  for (const milliseconds timeout : {milliseconds(0), milliseconds::max(), milliseconds::min(),
                                     milliseconds(-9'223'472'036'855)}) {
    CAPTURE(timeout.count());
    Scene scene;
    {
      DeviceLoader loader = scene.open();
      const auto held = exhaust(scene, loader);
      const bool waits = timeout.count() >= 0;
      if (!waits) CHECK(next_error(loader, scene.streams, timeout).code == ErrorCode::timeout);
      std::thread other([&] {
        std::this_thread::sleep_for(milliseconds(50));
        scene.fake.unblock(scene.stream());
      });
      const auto batch = loader.next(scene.streams, waits ? timeout : kLong);
      other.join();
      CHECK(batch.error().code == ErrorCode::busy);  // there is a batch, but no memory for it
    }
    scene.check_end();
  }
}

TEST_CASE("closing while threads take batches at any moment") {
  Scene scene({.schedule = Schedule::random, .seed = 9});
  const FakeDriver::Held before = scene.fake.held();
  for (int i = 0; i < 150; ++i) {
    DeviceLoader loader = scene.open();
    std::vector<std::thread> consumers;
    for (int number = 0; number < 2; ++number) {
      consumers.emplace_back([&, stream = scene.fake.stream()] {
        while (loader.next(Streams{stream}, kLong).ok()) continue;
      });
    }
    for (int work = 0; work < 20; ++work)
      scene.fake.enqueue(scene.stream(), [] { std::this_thread::sleep_for(microseconds(200)); });
    std::this_thread::sleep_for(microseconds(29 * i));
    loader.close();
    for (std::thread& consumer : consumers) consumer.join();
    CHECK(loader.statistics().pinned_bytes == 0);
    scene.fake.run_all();
    device::sweep_late();
    { const DeviceLoader gone = std::move(loader); }
    device::sweep_late();
    REQUIRE(scene.fake.held() == before);
  }
  scene.check_end();
}

TEST_CASE("threads share the steps of an epoch without duplicates") {
  Scene scene({.schedule = Schedule::random, .seed = 10});
  scene.options.outputs = 6;
  scene.options.loader.global_batch_size = 1;
  {
    DeviceLoader loader = scene.open();
    std::mutex mutex;
    std::vector<std::uint64_t> steps;
    std::atomic<int> ends{0}, failures{0};
    std::vector<std::thread> consumers;
    for (int number = 0; number < 3; ++number) {
      consumers.emplace_back([&, stream = scene.fake.stream()] {
        for (int taken = 0; taken < 25; ++taken) {
          auto batch = loader.next(Streams{stream}, kLong);
          if (!batch.ok()) ++failures;
          if (batch.ok() && !*batch) ++ends;
          if (!batch.ok() || !*batch) continue;
          const std::lock_guard lock(mutex);
          steps.push_back((*batch)->epoch() * 24 + (*batch)->step());
        }
      });
    }
    for (std::thread& consumer : consumers) consumer.join();
    CHECK(failures == 0);
    CHECK(ends == 3);  // 75 calls: three epochs of 24 steps and an end
    CHECK(std::set<std::uint64_t>(steps.begin(), steps.end()).size() == 72);
    CHECK(steps.size() == 72);
  }
  scene.check_end();
}

TEST_CASE("threads that wait at the same time each get memory of their own") {
  Scene scene;
  scene.options.outputs = 3;
  {
    DeviceLoader loader = scene.open();
    const auto buffers = scene.program->buffers(loader);
    scene.fake.block(scene.stream());
    for (unsigned number = 0; number < scene.options.loader.prefetch_batches; ++number)
      REQUIRE(loader.next_into(buffers, scene.streams).ok());
    std::vector<Result<std::optional<DeviceBatch>>> results(3, Error{});
    std::vector<std::thread> consumers;
    for (auto& result : results) {
      consumers.emplace_back(
          [&, stream = scene.fake.stream()] { result = loader.next(Streams{stream}, kLong); });
    }
    std::this_thread::sleep_for(milliseconds(20));  // all of them wait by now
    scene.fake.unblock(scene.stream());
    for (std::thread& consumer : consumers) consumer.join();
    std::set<std::uint64_t> steps;
    std::set<void*> memory;
    for (const auto& result : results) {
      REQUIRE(result.ok());
      steps.insert((*result)->step());
      memory.insert((*result)->image().data);
    }
    CHECK(steps == std::set<std::uint64_t>{2, 3, 4});
    CHECK(memory.size() == 3);
  }
  scene.check_end();
}

TEST_CASE("seeks while other threads take batches") {
  Scene scene({.schedule = Schedule::random, .seed = 11});
  scene.options.outputs = 4;
  {
    DeviceLoader loader = scene.open();
    std::atomic<bool> stop{false};
    std::atomic<int> failures{0};
    std::vector<std::thread> consumers;
    for (int number = 0; number < 2; ++number) {
      consumers.emplace_back([&, stream = scene.fake.stream()] {
        while (!stop) failures += loader.next(Streams{stream}, kLong).ok() ? 0 : 1;
      });
    }
    for (std::uint64_t epoch = 0; epoch < 200; ++epoch) REQUIRE(loader.seek(epoch, epoch % 7).ok());
    stop = true;
    for (std::thread& consumer : consumers) consumer.join();
    CHECK(failures == 0);
    REQUIRE(loader.seek(3, 2).ok());
    CHECK(next_batch(loader, scene.streams).step() == 2);
  }
  scene.check_end();
}

TEST_CASE("a moved loader goes on and assigning to one closes its old loader") {
  Scene scene;
  {
    DeviceLoader first = scene.open();
    skip(first, scene.streams, 1);
    DeviceLoader second = std::move(first);
    CHECK(next_batch(second, scene.streams).step() == 1);
    first.close();
    first.cancel();
    first = scene.open();
    CHECK(next_batch(first, scene.streams).step() == 0);
    first = std::move(second);
    CHECK(next_batch(first, scene.streams).step() == 2);
  }
  scene.check_end();
}

TEST_CASE("signals of the program do not reach the feeder") {
  Scene scene;
  {
    const DeviceLoader loader = scene.open();
    constexpr auto bit = [](int signal) { return 1ULL << (signal - 1); };
    const unsigned long long faults = bit(SIGBUS) | bit(SIGSEGV) | bit(SIGFPE);
    const unsigned long long others = bit(SIGINT) | bit(SIGTERM) | bit(SIGCHLD) | bit(SIGALRM);
    // A starting thread blocks all signals for a moment.
    CHECK(comes_true([&] {
      return (blocked_signals_of("hotpack/feeder").value_or(0) & (faults | others)) == others;
    }));
  }
  scene.check_end();
}

TEST_CASE("the feeder polls events less often the longer none completes") {
  Scene scene;
  {
    DeviceLoader loader = scene.open();
    const auto held = exhaust(scene, loader);
    std::this_thread::sleep_for(milliseconds(20));
    const std::uint64_t before = scene.fake.calls("EventQuery");
    std::this_thread::sleep_for(milliseconds(300));
    CHECK(scene.fake.calls("EventQuery") - before <
          1200);  // once a millisecond at two batches, not ten times
    scene.fake.unblock(scene.stream());
  }
  scene.check_end();
}

TEST_CASE("the feeder wakes on time without the default timer slack") {
  Scene scene;
  {
    const DeviceLoader loader = scene.open();
    const auto slack = [] {
      unsigned long nanoseconds = 0;
      for (const auto& task : threads_named("hotpack/feeder"))
        std::ifstream("/proc" / task.filename() / "timerslack_ns") >> nanoseconds;
      return nanoseconds;  // 0: not to be read here
    };
    CHECK(comes_true([&] { return slack() == 1000 || slack() == 0; }));
  }
  scene.check_end();
}

// ------------------------------------------------------------------------------------------------
// failed contexts

TEST_CASE("a context error is returned by every call and does not delay close") {
  for (const Residency residency : {Residency::page, Residency::device}) {
    Scene scene;
    scene.options.residency = residency;
    {
      DeviceLoader loader = scene.open();
      DeviceBatch held = next_batch(loader, scene.streams);
      scene.fake.block(scene.stream());
      DeviceBatch second = next_batch(loader, scene.streams);
      const auto buffers = scene.program->buffers(loader);
      scene.fake.break_context(0, device::code::kIllegalAddress);
      const Error error = next_error(loader, scene.streams);
      CHECK(error.code == ErrorCode::io);
      CHECK_THAT(error.message,
                 ContainsSubstring("cu") && ContainsSubstring("CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
      CHECK(next_error(loader, scene.streams).code == ErrorCode::io);
      CHECK(loader.next_into(buffers, scene.streams).error().code == ErrorCode::io);
      CHECK(held.record_stream(scene.stream()).error().code == ErrorCode::io);
      (void)loader.state();
      CHECK(seconds_of([&] { loader.close(); }) < kPromptly);
      CHECK(seconds_of([&] { held.release(); }) < kPromptly);
    }
    scene.program.reset();
    check_nothing_left(scene.fake);
  }
}

TEST_CASE("a context error wakes a waiting next and is returned by seek") {
  Scene scene;
  {
    DeviceLoader loader = scene.open();
    const auto held = exhaust(scene, loader);
    const Error woken = error_while(
        loader, scene.streams, [&] { scene.fake.break_context(0, device::code::kLaunchFailed); });
    CHECK(woken.code == ErrorCode::io);
    CHECK_THAT(woken.message, ContainsSubstring("cuEventQuery") && ContainsSubstring("719"));
    CHECK(loader.seek(0).error().message == woken.message);
    CHECK(seconds_of([&] { loader.close(); }) < kPromptly);
  }
  scene.program.reset();
  check_nothing_left(scene.fake);
}

TEST_CASE("the first error of a context stays the one that is reported") {
  Scene scene;
  {
    DeviceLoader loader = scene.open();
    skip(loader, scene.streams, 4);  // from now on a release creates no event
    DeviceBatch held = next_batch(loader, scene.streams);
    scene.fake.break_context(0, device::code::kIllegalAddress);
    // the error of this call; later calls report the first one
    (void)next_error(loader, scene.streams);
    const Error first = next_error(loader, scene.streams);
    CHECK_THAT(first.message, ContainsSubstring("700"));
    scene.fake.break_context(0, device::code::kLaunchFailed);
    held.release();  // meets the second one
    CHECK(next_error(loader, scene.streams).describe() == first.describe());
    CHECK(loader.seek(0).error().describe() == first.describe());
  }
  scene.program.reset();
  check_nothing_left(scene.fake);
}

TEST_CASE("close looks once at the events of a context that has failed") {
  Scene scene;
  PlayedCalls calls;
  {
    DeviceLoader loader = scene.open(calls);
    const auto held = exhaust(scene, loader);
    scene.fake.break_context(0, device::code::kIllegalAddress);
    CHECK(next_error(loader, scene.streams).code == ErrorCode::io);
    loader.close();
    CHECK(calls.queries <= 4);  // two batches, each copied and read
  }
  scene.program.reset();
  check_nothing_left(scene.fake);
}

TEST_CASE("a loader that has failed calls the driver no more") {
  for (const bool copy : {true, false}) {
    CAPTURE(copy);
    Scene scene;
    scene.options.loader.image.dtype = ElementType::u8;  // no table is copied at open
    if (copy) scene.fake.fail("MemcpyHtoDAsync", 0, device::code::kUnknown);
    {
      DeviceLoader loader = scene.open();
      std::vector<DeviceBatch> held;
      if (!copy) {
        held = exhaust(scene, loader);
        scene.fake.fail("StreamIsCapturing", 0, device::code::kUnknown);
      }
      CHECK(next_error(loader, scene.streams).code == ErrorCode::io);
      if (!copy) std::this_thread::sleep_for(milliseconds(100));  // a poll that had begun is over
      const std::uint64_t calls = calls_of_all(scene.fake);
      std::this_thread::sleep_for(milliseconds(200));
      CHECK(calls_of_all(scene.fake) == calls);
      if (!copy) scene.fake.unblock(scene.stream());
    }
    scene.check_end();
  }
}

TEST_CASE("a failed batch is not counted and keeps a concurrent seek") {
  for (const bool sought : {false, true}) {
    Scene scene;
    PlayedCalls calls;
    {
      DeviceLoader loader = scene.open(calls);
      skip(loader, scene.streams, 2);
      calls.wait_fails = [&] {
        return !sought || loader.seek(0, 1).ok();
      };  // another thread's, while step 2 is on its way
      CHECK_THAT(next_error(loader, scene.streams).message, ContainsSubstring("cuStreamWaitEvent"));
      CHECK(loader.state().samples == (sought ? 4 : 8));
      calls.wait_fails = nullptr;
    }
    scene.check_end();
  }
}

TEST_CASE("one of two contexts fails") {
  Scene scene({.devices = 2});
  scene.options.devices = {0, 1};
  {
    const Streams streams{scene.fake.stream(0), scene.fake.stream(1)};
    DeviceLoader loader = scene.open();
    DeviceBatch held = next_batch(loader, streams);
    scene.fake.break_context(1, device::code::kLaunchFailed);
    CHECK(next_error(loader, streams).code == ErrorCode::io);
    held.release();
    CHECK(seconds_of([&] { loader.close(); }) < kPromptly);
  }
  scene.fake.run_all();
  scene.program.reset();
  check_nothing_left(scene.fake);
}

TEST_CASE("a launch that fails on one of two devices fails the batch") {
  for (const unsigned launch : {0u, 1u, 2u, 3u}) {  // images and labels of each
    CAPTURE(launch);
    Scene scene({.devices = 2});
    scene.options.devices = {0, 1};
    {
      const Streams streams{scene.fake.stream(0), scene.fake.stream(1)};
      DeviceLoader loader = scene.open();
      scene.fake.fail("LaunchKernel", launch, device::code::kUnknown);
      CHECK_THAT(next_error(loader, streams).message, ContainsSubstring("cuLaunchKernel"));
      CHECK(loader.state().samples == 0);
      CHECK(seconds_of([&] { loader.close(); }) < kPromptly);  // nobody holds the batch
    }
    scene.check_end();
  }
}

TEST_CASE("a kernel's memory is kept until it ends even if recording fails") {
  for (const int failing :
       {0, 1}) {  // that the staged memory was read, that the output was written
    CAPTURE(failing);
    Scene scene;
    PlayedCalls calls;
    {
      DeviceLoader loader = scene.open(calls);
      scene.fake.block(scene.stream());
      calls.record_fails = [failing, record = 0]() mutable { return record++ == failing; };
      CHECK_THAT(next_error(loader, scene.streams).message, ContainsSubstring("cuEventRecord"));
      calls.record_fails = nullptr;
    }
    device::sweep_late();
    check_no_violations(scene.fake);
    CHECK(device::late_count() > 0);
    scene.fake.unblock(scene.stream());
    scene.check_end();
  }
}

// ------------------------------------------------------------------------------------------------
// refusals

TEST_CASE("a stream that is captured is refused and nothing is lost") {
  Scene scene;
  {
    const StreamHandle blocking = scene.fake.stream(0, true);
    DeviceLoader loader = scene.open();
    const auto buffers = scene.program->buffers(loader);
    scene.fake.set_capturing(scene.stream(), true);
    const Error refused = next_error(loader, scene.streams);
    CHECK(refused.code == ErrorCode::usage);
    CHECK_THAT(refused.message,
               ContainsSubstring("captured") && ContainsSubstring("next_into() on fixed buffers"));
    CHECK(loader.next_into(buffers, scene.streams).error().message == refused.message);
    scene.fake.set_capturing(scene.stream(), false);
    scene.fake.set_capturing(blocking, true);  // the legacy stream must not wait for it
    CHECK(next_error(loader, {nullptr}).code == ErrorCode::usage);
    CHECK(next_error(loader, {kLegacyStream}).code == ErrorCode::usage);
    const DeviceBatch batch = next_batch(loader, scene.streams);
    CHECK(batch.step() == 0);
    CHECK(batch.record_stream(blocking).error().code == ErrorCode::usage);
    scene.fake.set_capturing(blocking, false);
    CHECK(next_batch(loader, {nullptr}).step() == 1);
  }
  scene.check_end();
}

TEST_CASE("a stream that was destroyed is refused and the loader goes on") {
  for (const int code : {device::code::kInvalidHandle, device::code::kInvalidContext}) {
    CAPTURE(code);
    Scene scene;
    {
      DeviceLoader loader = scene.open();
      scene.fake.fail("StreamIsCapturing", 0, code);
      const Error refused = next_error(loader, scene.streams);
      CHECK(refused.code == ErrorCode::usage);
      CHECK_THAT(refused.message,
                 ContainsSubstring("is not a stream of this process, or was destroyed"));
      CHECK(next_batch(loader, scene.streams).step() == 0);
    }
    scene.check_end();
  }
}

TEST_CASE("too many or too few streams or streams of another context are refused") {
  Scene scene({.devices = 2});
  {
    const Streams both{scene.fake.stream(0), scene.fake.stream(1)};
    DeviceLoader loader = scene.open();
    const auto buffers = scene.program->buffers(loader);
    for (const Streams& wrong : {Streams{}, both}) {
      const Error refused = next_error(loader, wrong);
      CHECK(refused.code == ErrorCode::usage);
      CHECK_THAT(refused.message,
                 ContainsSubstring(std::to_string(wrong.size()) + " streams for 1 devices"));
      CHECK(loader.next_into(buffers, wrong).error().message == refused.message);
    }
    const Error foreign = next_error(loader, {both[1]});
    CHECK(foreign.code == ErrorCode::usage);
    CHECK_THAT(foreign.message,
               ContainsSubstring("stream 0 (of device 0)") && ContainsSubstring("another context"));
    CHECK(loader.next_into(buffers, Streams{both[1]}).error().message == foreign.message);
    const DeviceBatch batch = next_batch(loader, scene.streams);
    CHECK(batch.record_stream(both[1]).error().code == ErrorCode::usage);
    CHECK(batch.step() == 0);
  }
  scene.check_end();
}

TEST_CASE("buffers too small or unaligned or too few are refused without loss") {
  Scene scene;
  {
    DeviceLoader loader = scene.open();
    const auto good = scene.program->buffers(loader);
    const auto refusal = [&](const std::vector<DeviceBuffers>& buffers) {
      const auto info = loader.next_into(buffers, scene.streams);
      REQUIRE_FALSE(info.ok());
      CHECK(info.error().code == ErrorCode::usage);
      CHECK(loader.state().samples == 0);
      return info.error().message;
    };
    CHECK_THAT(refusal({}), ContainsSubstring("0 buffers for 1 devices"));
    auto small = good;
    small[0].image_bytes -= 1;
    CHECK_THAT(refusal(small), ContainsSubstring("the image buffer of part 0 has " +
                                                 std::to_string(small[0].image_bytes) + " bytes"));
    small = good;
    small[0].label_bytes = 0;
    CHECK_THAT(refusal(small), ContainsSubstring("the label buffer of part 0 has 0 bytes"));
    auto crooked = good;
    crooked[0].label = static_cast<std::byte*>(crooked[0].label) + 8;
    CHECK_THAT(refusal(crooked),
               ContainsSubstring("the label buffer of part 0 is not aligned to 16 bytes"));
    const auto info = loader.next_into(good, scene.streams);
    REQUIRE(info.ok());
    CHECK((*info)->step == 0);
  }
  scene.check_end();
}

TEST_CASE("budgets that are too small are refused with numbers") {
  Scene scene;
  const auto refusal = [&](const DeviceLoaderOptions& options) {
    const Error error = open_error(scene.fake, scene.dataset, options);
    CHECK(error.code == ErrorCode::usage);
    return error.message;
  };
  std::uint64_t pinned = 0;
  {
    const DeviceLoader loader = scene.open();
    pinned = loader.statistics().pinned_bytes;
  }
  DeviceLoaderOptions options = scene.options;
  options.pinned_budget_bytes = pinned - 1;
  CHECK_THAT(refusal(options), ContainsSubstring("pinned"));
  options.pinned_budget_bytes = pinned;
  { const DeviceLoader fits = open_on(scene.fake, scene.dataset, options); }
  options.residency = Residency::automatic;
  options.device_budget_bytes = 1;
  refusal(options);
  options = scene.options;
  options.device_budget_bytes = 1;
  CHECK_THAT(refusal(options), ContainsSubstring("device"));
  scene.check_end();
}

TEST_CASE("residency that is chosen automatically says what and why") {
  Scene scene;
  const auto choice = [&](std::optional<std::uint64_t> on_device) {
    DeviceLoaderOptions options = scene.options;
    options.residency = Residency::automatic;
    options.device_budget_bytes = on_device;
    return open_on(scene.fake, scene.dataset, options).residency();
  };
  const auto roomy = choice({});
  CHECK(roomy.residency == Residency::device);
  CHECK_THAT(roomy.reason, ContainsSubstring("automatic"));
  CHECK(roomy.packed_bytes >= 24 * (8 * 8 * 3 + 8 * 8));
  std::uint64_t on_device = 0;
  {
    DeviceLoader page = scene.open();
    CHECK(page.residency().residency == Residency::page);
    CHECK(page.residency().reason == "asked for");
    const DeviceBatch first = next_batch(page, scene.streams),
                      second = next_batch(page, scene.streams);
    on_device = page.statistics().device_bytes.at(0);
  }
  const auto tight = choice(on_device + 100);
  CHECK(tight.residency == Residency::page);
  CHECK_THAT(tight.reason, ContainsSubstring("automatic"));
  scene.check_end();
}

TEST_CASE("options that do not go with a device loader are refused") {
  Scene scene;
  const auto refusal = [&](const std::function<void(DeviceLoaderOptions&)>& change) {
    DeviceLoaderOptions options = scene.options;
    change(options);
    const Error error = open_error(scene.fake, scene.dataset, options);
    CHECK(error.code == ErrorCode::usage);
    return error.message;
  };
  CHECK_THAT(refusal([](auto& o) { o.devices = {}; }), ContainsSubstring("devices is empty"));
  CHECK_THAT(refusal([](auto& o) { o.devices = {0, 0}; }), ContainsSubstring("device 0 twice"));
  CHECK_THAT(refusal([](auto& o) { o.devices = {1}; }), ContainsSubstring("no device 1"));
  CHECK_THAT(refusal([](auto& o) { o.devices = {-1}; }), ContainsSubstring("no device -1"));
  CHECK_THAT(refusal([](auto& o) { o.outputs = 65; }), ContainsSubstring("outputs is 65"));
  CHECK_THAT(refusal([](auto& o) { o.loader.content = BatchContent::packed; }),
             ContainsSubstring("does not work with a DeviceLoader"));
  CHECK_THAT(refusal([&](auto& o) {
               o.loader.allocator = device::pinned_allocator(
                   device::Context::retain(scene.fake.driver(), 0).value());
             }),
             ContainsSubstring("takes pinned memory for its slots itself"));
  CHECK_THAT(refusal([](auto& o) { o.loader.memory_budget_bytes = 1; }),
             ContainsSubstring("pinned_budget_bytes"));
  CHECK_THAT(refusal([](auto& o) { o.loader.prefetch_batches = 1; }),
             ContainsSubstring("prefetch_batches"));
  DeviceLoaderOptions keep = scene.options;
  keep.loader.last_batch = LastBatch::keep;
  const Error refused = open_error(scene.fake, scene.dataset, keep);
  CHECK(refused.code == ErrorCode::usage);
  CHECK(refused.option == "last_batch");
  CHECK_THAT(refused.message, ContainsSubstring("use last_batch drop, pad or wrap, or a Loader"));
  scene.check_end();
}

// ------------------------------------------------------------------------------------------------
// contexts of the caller

TEST_CASE("the current context of the caller is the same after every call") {
  Scene scene({.devices = 2});
  const auto& table = scene.fake.table();
  for (int which = 0; which < 3; ++which) {  // none, the loader's own, another device's
    CAPTURE(which);
    std::optional<device::CurrentContext> current;
    if (which > 0) current.emplace(scene.program->context(which - 1));
    ContextHandle mine = nullptr;
    REQUIRE(table.CtxGetCurrent(&mine) == 0);
    const auto check = [&](const char* call) {
      CAPTURE(call);
      ContextHandle now = nullptr;
      REQUIRE(table.CtxGetCurrent(&now) == 0);
      REQUIRE(now == mine);
    };
    std::optional<DeviceLoader> loader = scene.open();
    check("open");
    std::optional<DeviceBatch> batch = next_batch(*loader, scene.streams);
    check("next");
    CHECK(batch->record_stream(nullptr).ok());
    check("record_stream");
    batch->release();
    check("release");
    const auto buffers = scene.program->buffers(*loader);
    CHECK(loader->next_into(buffers, scene.streams).ok());
    check("next_into");
    CHECK_FALSE(loader->next(Streams{scene.fake.stream(1)}).ok());
    check("a refused next");
    CHECK(loader->seek(0, 3).ok());
    check("seek");
    CHECK(loader->restore(loader->state()).ok());
    check("restore");
    (void)loader->statistics();
    check("statistics");
    loader->cancel();
    check("cancel");
    CHECK_FALSE(loader->next(scene.streams, kLong).ok());
    check("a cancelled next");
    loader->close();
    check("close");
    loader.reset();
    check("the destructor");
    (void)open_error(scene.fake, scene.dataset, device_options(small_batches(4), {7}));
    check("a refused open");
  }
  scene.check_end();
}

// ------------------------------------------------------------------------------------------------
// forks and exits

TEST_CASE("a forked child gets errors and destroys without driver calls") {
  Scene scene;
  {
    std::optional<DeviceLoader> loader = scene.open();
    std::optional<DeviceBatch> batch = next_batch(*loader, scene.streams),
                               second = next_batch(*loader, scene.streams);
    second.reset();  // so that the loader has a free output
    const auto buffers = scene.program->buffers(*loader);
    const StreamHandle blocked = scene.fake.stream();
    scene.fake.block(blocked);
    {
      DeviceLoader gone = scene.open();  // leaves memory that cannot be freed yet
      next_batch(gone, {blocked}).release();
    }
    REQUIRE(device::late_count() > 0);
    scene.fake.run_all();
    wait_for_calls_to_settle(scene.fake);
    const int status = status_of_child([&] {
      const std::uint64_t calls = calls_of_all(scene.fake);  // with the feeder's until the fork
      if (!told_of_fork(loader->next(scene.streams)) ||
          !told_of_fork(loader->next(scene.streams, milliseconds(1))))
        return false;
      if (!told_of_fork(loader->next_into(buffers, scene.streams))) return false;
      if (!told_of_fork(loader->seek(0)) || !told_of_fork(loader->restore(loader->state())))
        return false;
      if (!told_of_fork(batch->record_stream(nullptr))) return false;
      if (loader->state().samples != 8 || batch->step() != 0) return false;
      (void)loader->statistics();
      loader->cancel();
      loader->close();
      second = batch;
      batch.reset();
      second.reset();
      DeviceLoader moved = std::move(*loader);
      *loader = std::move(moved);
      loader.reset();
      return calls_of_all(scene.fake) == calls;
    });
    CHECK(status == 0);
    CHECK(batch->step() == 0);
    CHECK(next_batch(*loader, scene.streams).step() == 2);  // the parent's loader continues
    scene.fake.unblock(blocked);
  }
  scene.check_end();
}

TEST_CASE("a fork at any moment whatever locks are held") {
  if (!kForksAtAnyMoment) return;
  Scene scene({.schedule = Schedule::random, .seed = 12});
  scene.options.outputs = 4;
  {
    std::optional<DeviceLoader> loader = scene.open();
    std::atomic<bool> stop{false};
    std::thread busy([&, stream = scene.fake.stream()] {
      while (!stop) {
        if (auto batch = loader->next(Streams{stream}, kLong); !batch.ok()) return;
      }
    });
    std::thread curious([&] {
      while (!stop) (void)loader->statistics();
    });
    int failed = 0;
    for (int i = 0; i < 100 && failed == 0; ++i) {
      auto batch = loader->next(scene.streams, kLong);
      if (!batch.ok()) break;
      failed = status_of_child([&] {
        batch->reset();
        loader->cancel();
        const bool refused = told_of_fork(loader->next(scene.streams)) &&
                             told_of_fork(loader->seek(0)) &&
                             loader->state().global_batch_size == 4;
        (void)loader->statistics();
        loader->close();
        loader.reset();
        return refused;
      });
    }
    stop = true;
    busy.join();
    curious.join();
    CHECK(failed == 0);
  }
  scene.check_end();
}

TEST_CASE("a loader and a lease that live until the process exits") {
  if (!kThreadsAfterFork) return;
  const TinyPack pack(square_form(), 24, 4);
  for (const bool driver_goes_first : {false, true}) {
    CAPTURE(driver_goes_first);
    const int ended = status_of_child([&]() -> bool {
      static FakeDriver* fake = nullptr;
      static std::optional<DeviceLoader> loader;
      static std::optional<DeviceBatch> batch;
      fake = new FakeDriver;
      const auto close = [] {
        loader.reset();
        batch.reset();
      };
      // as the driver's teardown at exit
      const auto end_driver = [] { fake->break_context(0, device::code::kDeinitialized); };
      if (!driver_goes_first) (void)std::atexit(end_driver);
      (void)std::atexit(close);
      // the last registered handler runs first
      if (driver_goes_first) (void)std::atexit(end_driver);
      const Streams streams{fake->stream()};
      loader = open_on(*fake, pack.open(), device_options(small_batches(4)));
      batch = next_batch(*loader, streams);
      std::exit(0);  // with the feeder and the threads at work
    });
    CHECK(ended == 0);
  }
}
