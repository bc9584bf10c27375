// Memory of leases: allocated at open, reused after its uses, kept if its use is unknown. Nothing
// is lost if memory runs out.
#include "device/outputs.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device/late_free.hpp"
#include "device_runs.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda/fake_driver.hpp"
#include "unit/device/cargo_rig.hpp"

namespace {

// Successful allocations of this thread before one fails; negative: none fails.
thread_local int allocations_left = -1;

// Allocations of this size on this thread are slow; and whether one has begun.
thread_local std::size_t slow_allocation_bytes = 0;
std::atomic<bool> allocation_is_slow{false};

void be_slow(std::size_t bytes) {
  if (bytes != slow_allocation_bytes) return;
  allocation_is_slow = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
  if (slow_allocation_bytes != 0) be_slow(bytes);
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return std::malloc(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
  std::free(memory);
}

namespace hotpack::test {
namespace {

using device::Context;
using device::kLegacyStream;
using device::kPerThreadStream;
using device::OutputMemory;
using device::OutputPool;
using device::StreamHandle;
using device::StreamUse;

// A pool of one output on a fake device.
struct Pool {
  explicit Pool(unsigned most = 1) { set_up(fake.driver(), most); }
  explicit Pool(device::DriverTable (*table_of)(const FakeDriver&)) {
    set_up(device::Driver::make(table_of(fake)).value(), 1);
  }
  void set_up(std::shared_ptr<const device::Driver> driver, unsigned most) {
    context = Context::retain(std::move(driver), 0).value();
    stream = fake.stream();
    pool = std::make_unique<OutputPool>(std::vector{context},
                                        std::vector<device::OutputBytes>{{100, 10}}, most);
    REQUIRE(pool->allocate().ok());
  }
  ~Pool() {
    pool.reset();
    fake.run_all();
    device::sweep_late();
    context.reset();
    check_nothing_left(fake);
  }
  [[nodiscard]] Status release(StreamHandle on,
                               std::thread::id thread = std::this_thread::get_id()) const {
    auto memory = pool->try_take();
    REQUIRE(memory != nullptr);
    return pool->give_back(std::move(memory), {{0, on, thread}});
  }
  FakeDriver fake;
  std::shared_ptr<const Context> context;
  StreamHandle stream;
  std::unique_ptr<OutputPool> pool;
};

}  // namespace

TEST_CASE("outputs: all memory is taken at once and stays") {
  Pool made(3);
  CHECK(made.fake.held().device_blocks == 6);
  CHECK(made.pool->device_bytes(0) == 330);
  for (int round = 0; round < 5; ++round) {
    REQUIRE(made.pool->prepare().ok());
    REQUIRE(made.release(made.stream).ok());
  }
  CHECK(made.fake.calls("MemAlloc") == 6);
  CHECK(made.fake.held().device_blocks == 6);
}

TEST_CASE("outputs: a release during a capture returns after the capture") {
  Pool made;
  made.fake.set_capturing(made.stream, true);
  REQUIRE(made.release(made.stream).ok());
  for (int round = 0; round < 3; ++round) {
    REQUIRE(made.pool->prepare().ok());
    CHECK_FALSE(made.pool->any_free());
  }
  CHECK_THAT(
      made.pool->none_left().message,
      ContainsSubstring("1 of 1 were released while a stream that uses them was being captured"));
  made.fake.set_capturing(made.stream, false);
  REQUIRE(made.pool->prepare().ok());
  const auto memory = made.pool->try_take();
  REQUIRE(memory != nullptr);
  CHECK(memory->parts[0].used_count == 1);  // the next user waits for the stream
  made.pool->give_back(std::make_unique<OutputMemory>(std::move(*memory)));
}

TEST_CASE("outputs: a release during a capture is not freed before it is read") {
  Pool made;
  made.fake.block(made.stream);  // is not complete yet
  made.fake.set_capturing(made.stream, true);
  REQUIRE(made.release(made.stream).ok());
  device::sweep_late();
  CHECK(made.fake.held().device_blocks == 2);
  made.fake.set_capturing(made.stream, false);
  made.pool->close();
  device::sweep_late();
  CHECK(made.fake.held().device_blocks == 2);
  made.fake.unblock(made.stream);
  made.fake.run_all();
  device::sweep_late();
  CHECK(made.fake.held().device_blocks == 0);
  CHECK(made.pool->device_bytes(0) == 0);
}

TEST_CASE("outputs: memory used on a destroyed stream is kept without an error") {
  for (const int code : {device::code::kInvalidHandle, device::code::kInvalidContext, 709}) {
    CAPTURE(code);
    Pool made(2);
    made.fake.fail("EventRecord", 0, code);
    made.fake.fail("EventRecord", 1, code);
    CHECK(made.release(made.stream).ok());
    REQUIRE(made.pool->prepare().ok());
    CHECK(made.pool->device_bytes(0) == 220);
    const auto other = made.pool->try_take();
    REQUIRE(other != nullptr);
    CHECK_FALSE(made.pool->any_free());
    CHECK_THAT(
        made.pool->none_left().message,
        ContainsSubstring("1 of 2 cannot be used again, because their streams were destroyed"));
    made.pool->give_back(std::make_unique<OutputMemory>(std::move(*other)));
    made.pool->close();
    device::sweep_late();
    CHECK(made.fake.held().device_blocks == 2);  // until the pool ends
  }
}

TEST_CASE("outputs: a context that has failed is reported and its memory dropped") {
  for (const int code : {700, 708, 710, 719}) {
    CAPTURE(code);
    Pool made;
    made.fake.fail("EventRecord", 0, code);
    made.fake.fail("EventRecord", 1, code);
    const Status released = made.release(made.stream);
    REQUIRE_FALSE(released.ok());
    CHECK_THAT(released.error().message,
               ContainsSubstring("cuEventRecord") && ContainsSubstring(std::to_string(code)));
    CHECK(made.pool->device_bytes(0) == 0);
    CHECK_FALSE(made.pool->any_free());
  }
}

TEST_CASE("outputs: another thread's stream waits for captures") {
  Pool made;
  const StreamHandle blocking = made.fake.stream(0, true);
  made.fake.set_capturing(blocking, true);
  REQUIRE(made.release(kPerThreadStream, std::thread::id()).ok());
  CHECK_FALSE(made.pool->any_free());
  CHECK(made.fake.calls("EventRecord") == 0);  // it would end the capture
  made.fake.set_capturing(blocking, false);
  REQUIRE(made.pool->prepare().ok());
  CHECK(made.pool->any_free());
}

TEST_CASE("outputs: one undecided stream retains the memory despite the others") {
  Pool made;
  const StreamHandle captured = made.fake.stream();
  made.fake.set_capturing(captured, true);
  const auto self = std::this_thread::get_id();
  REQUIRE(made.pool->give_back(made.pool->try_take(), {{0, captured, self}, {0, made.stream, self}})
              .ok());
  CHECK_FALSE(made.pool->any_free());
  made.fake.set_capturing(captured, false);
  REQUIRE(made.pool->prepare().ok());
  auto memory = made.pool->try_take();
  REQUIRE(memory != nullptr);
  CHECK(memory->parts[0].used_count == 2);  // each once
  made.pool->give_back(std::move(memory));
}

TEST_CASE("outputs: a failed record is repeated if it may succeed") {
  for (const int code : {device::code::kOutOfMemory, device::code::kStreamCaptureUnsupported,
                         device::code::kStreamCaptureImplicit}) {
    CAPTURE(code);
    Pool made;
    made.fake.fail("EventRecord", 0, code);
    made.fake.fail("EventRecord", 1, code);
    REQUIRE(made.release(made.stream).ok());
    CHECK_FALSE(made.pool->any_free());
    REQUIRE(made.pool->prepare().ok());
    auto memory = made.pool->try_take();
    REQUIRE(memory != nullptr);
    CHECK(memory->parts[0].used_count == 1);
    made.pool->give_back(std::move(memory));
  }
}

TEST_CASE("outputs: memory without an event is not reused before one is recorded") {
  Pool made;
  made.fake.fail("EventCreate", 0, device::code::kOutOfMemory);
  REQUIRE(made.release(made.stream).ok());
  CHECK_FALSE(made.pool->any_free());
  REQUIRE(made.pool->prepare().ok());
  auto memory = made.pool->try_take();
  REQUIRE(memory != nullptr);
  CHECK(memory->parts[0].used_count == 1);
  made.pool->give_back(std::move(memory));
}

TEST_CASE("outputs: a context that cannot become current is reported at a release") {
  Pool made;
  made.fake.fail("CtxPushCurrent", 0, device::code::kIllegalAddress);
  const Status released = made.release(made.stream);
  REQUIRE_FALSE(released.ok());
  CHECK_THAT(released.error().message,
             ContainsSubstring("cuCtxPushCurrent") && ContainsSubstring("700"));
  CHECK(made.pool->device_bytes(0) == 0);
}

namespace {

// Delays the next query of a stream on request.
struct HeldLooks {
  device::DriverTable real;
  std::atomic<bool> hold{false}, held{false}, go{false};
};
HeldLooks* looks_held = nullptr;

device::DriverTable held_looks_table(const FakeDriver& fake) {
  looks_held->real = fake.table();
  device::DriverTable table = looks_held->real;
  table.StreamIsCapturing = [](StreamHandle stream, int* status) {
    if (looks_held->hold.exchange(false)) {
      looks_held->held = true;
      while (!looks_held->go) std::this_thread::yield();
    }
    return looks_held->real.StreamIsCapturing(stream, status);
  };
  return table;
}

}  // namespace

TEST_CASE("outputs: threads that poll a capture concurrently lose nothing") {
  HeldLooks looks;
  looks_held = &looks;
  Pool made(held_looks_table);
  made.fake.set_capturing(made.stream, true);
  REQUIRE(made.release(made.stream).ok());
  made.fake.set_capturing(made.stream, false);
  looks.hold = true;
  std::atomic<int> failed{0};
  const auto prepare = [&] { failed += made.pool->prepare().ok() ? 0 : 1; };
  std::thread one(prepare);
  while (!looks.held) std::this_thread::yield();
  std::thread other(prepare);
  // the other thread waits, or has come between
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  looks.go = true;
  one.join();
  other.join();
  CHECK(failed == 0);
  CHECK(made.pool->any_free());
  CHECK_THAT(made.pool->none_left().message, !ContainsSubstring("being captured"));
}

// ------------------------------------------------------------------------------------------------
// of a loader

namespace {

struct Opened {
  TinyPack pack{square_form(), 24, 4};
  Dataset dataset = pack.open();
  FakeDriver fake;
  Streams streams{fake.stream()};
  [[nodiscard]] DeviceLoader open(unsigned outputs) const {
    DeviceLoaderOptions options = device_options(small_batches(4));
    options.outputs = outputs;
    return open_on(fake, dataset, options);
  }
  void check_end() const {
    const_cast<FakeDriver&>(fake).run_all();
    check_nothing_left(fake);
  }
};

// A table whose calls never fail or block in an allocation: those of a real driver throw nothing.
device::DriverTable spared;

template <auto Member, class... Arguments>
int call_spared(Arguments... arguments) {
  const int left = std::exchange(allocations_left, -1);
  const std::size_t slow = std::exchange(slow_allocation_bytes, 0);
  const int code = (spared.*Member)(arguments...);
  allocations_left = left;
  slow_allocation_bytes = slow;
  return code;
}

template <auto Member, class... Arguments>
void spare(device::DriverTable& table, int (*)(Arguments...)) {
  table.*Member = &call_spared<Member, Arguments...>;
}

device::DriverTable spared_table(const FakeDriver& fake) {
  spared = fake.table();
  device::DriverTable table;
#define HOTPACK_SPARE(name, version, parameters) \
  spare<&device::DriverTable::name>(table, spared.name);
  HOTPACK_DRIVER_CALLS(HOTPACK_SPARE)
#undef HOTPACK_SPARE
  return table;
}

}  // namespace

TEST_CASE("outputs: a release without host memory is repeated later") {
  Pool made(spared_table);
  bool done = false;
  int left = 0;
  for (; !done && left < 100; ++left) {
    CAPTURE(left);
    auto memory = made.pool->try_take();
    REQUIRE(memory != nullptr);
    std::vector<device::Event>().swap(memory->parts[0].used);  // as at a first release
    memory->parts[0].used_count = 0;
    std::vector<StreamUse> uses{{0, made.stream, std::this_thread::get_id()}};
    allocations_left = left;
    const Status released = made.pool->give_back(std::move(memory), std::move(uses));
    done = std::exchange(allocations_left, -1) >= 0;
    REQUIRE(released.ok());
    CHECK(made.pool->any_free() == done);
    REQUIRE(made.pool->prepare().ok());
    CHECK(made.pool->any_free());
  }
  CHECK(left > 1);
}

TEST_CASE("outputs: a release into a capture needs no memory of the host") {
  Pool made(spared_table);
  made.fake.set_capturing(made.stream, true);
  auto memory = made.pool->try_take();
  std::vector<StreamUse> uses{{0, made.stream, std::this_thread::get_id()}};
  allocations_left = 0;
  const Status released = made.pool->give_back(std::move(memory), std::move(uses));
  CHECK(std::exchange(allocations_left, -1) == 0);  // there is room for a use without an event
  CHECK(released.ok());
}

TEST_CASE("outputs: a loader takes their memory at open and none later") {
  Opened scene;
  {
    DeviceLoader loader = scene.open(3);
    const std::uint64_t taken = scene.fake.calls("MemAlloc");
    const auto bytes = loader.statistics().device_bytes;
    skip(loader, scene.streams, 2);
    const std::uint64_t events =
        scene.fake.calls("EventCreate");  // with those of the first releases
    skip(loader, scene.streams, 3);
    CHECK(scene.fake.calls("EventCreate") == events);
    const DeviceBatch one = next_batch(loader, scene.streams);
    CHECK(scene.fake.calls("MemAlloc") == taken);
    CHECK(loader.statistics().device_bytes == bytes);
  }
  scene.check_end();
}

TEST_CASE("outputs: a loader without outputs fills buffers and refuses next") {
  Opened scene;
  {
    Program program(scene.fake);
    DeviceLoader none = scene.open(0), one = scene.open(1);
    CHECK(one.statistics().device_bytes[0] ==
          none.statistics().device_bytes[0] + none.image_batch_bytes() + none.label_batch_bytes());
    const Error refused = next_error(none, scene.streams);
    CHECK(refused.code == ErrorCode::usage);
    CHECK_THAT(refused.message,
               ContainsSubstring("`outputs` of 1 or more") && ContainsSubstring("next_into()"));
    const auto buffers = program.buffers(none);
    const auto info = none.next_into(buffers, scene.streams);
    REQUIRE(info.ok());
    CHECK((*info)->step == 0);
    scene.fake.run_all();
  }
  scene.check_end();
}

namespace {

// Waits until the loader's own threads make no more of these calls: they have filled its slots.
void wait_for_quiet(const FakeDriver& fake, const std::string& name) {
  std::uint64_t before = fake.calls(name);
  for (int quiet = 0; quiet < 10;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const std::uint64_t now = fake.calls(name);
    quiet = now == before ? quiet + 1 : 0;
    before = now;
  }
}

}  // namespace

TEST_CASE("outputs: a lease whose stream is gone does not end the loader") {
  Opened scene;
  {
    DeviceLoader loader = scene.open(2);
    DeviceBatch first = next_batch(loader, scene.streams);
    wait_for_quiet(scene.fake, "EventRecord");
    scene.fake.fail("EventRecord", 0, device::code::kInvalidHandle);
    scene.fake.fail("EventRecord", 1, device::code::kInvalidHandle);
    first.release();
    for (std::uint64_t step = 1; step < 4; ++step)
      CHECK(next_batch(loader, scene.streams).step() == step);
  }
  scene.check_end();
}

TEST_CASE("outputs: a context that fails at a release is reported by the next one") {
  Opened scene;
  {
    DeviceLoader loader = scene.open(2);
    DeviceBatch first = next_batch(loader, scene.streams);
    scene.fake.fail("EventRecord", 0, device::code::kIllegalAddress);
    scene.fake.fail("EventRecord", 1, device::code::kIllegalAddress);
    first.release();
    const Error failed = next_error(loader, scene.streams);
    CHECK(failed.code == ErrorCode::io);
    CHECK_THAT(failed.message, ContainsSubstring("cuEventRecord") && ContainsSubstring("700"));
  }
  scene.check_end();
}

TEST_CASE("outputs: every call reports a context that fails in a delayed release") {
  Opened scene;
  {
    DeviceLoader loader = scene.open(2);
    const Streams other{scene.fake.stream()};
    DeviceBatch first = next_batch(loader, scene.streams);
    scene.fake.set_capturing(scene.streams[0], true);
    first.release();
    scene.fake.set_capturing(scene.streams[0], false);
    // The feeder records nothing from here on: all its batches are on the device.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    scene.fake.fail("EventRecord", 0, device::code::kIllegalAddress);
    scene.fake.fail("EventRecord", 1, device::code::kIllegalAddress);
    for (int call = 0; call < 2; ++call)
      CHECK_THAT(next_error(loader, other).message, ContainsSubstring("cuEventRecord"));
  }
  scene.check_end();
}

TEST_CASE("outputs: a release waits for streams added by two threads at once") {
  Opened scene;
  {
    DeviceLoader loader = open_on(spared_table(scene.fake), scene.fake, scene.dataset,
                                  device_options(small_batches(4)));
    DeviceBatch batch = next_batch(loader, scene.streams);
    const StreamHandle first = scene.fake.stream(), second = scene.fake.stream();
    bool noted = false;
    allocation_is_slow = false;
    std::thread slow([&] {
      slow_allocation_bytes = 2 * sizeof(StreamUse);  // that of a place for the second use
      noted = batch.record_stream(first).ok();
      slow_allocation_bytes = 0;
      allocation_is_slow = true;
    });
    while (!allocation_is_slow) std::this_thread::yield();
    const bool other = batch.record_stream(second).ok();
    slow.join();
    CHECK((noted && other));
    const std::uint64_t made = scene.fake.calls("EventCreate");
    batch.release();
    CHECK(scene.fake.calls("EventCreate") == made + 3);  // one for each stream
  }
  scene.check_end();
}

TEST_CASE("outputs: memory read on another thread's stream is not overwritten") {
  Opened scene;
  const auto wanted = host_batches(scene.dataset, small_batches(4));
  {
    Program program(scene.fake);
    DeviceLoader loader = scene.open(1);
    DeviceBatch batch = next_batch(loader, scene.streams);
    bool used = false;
    std::thread([&] {
      used = batch.record_stream(kPerThreadStream).ok();
      program.download(batch, {kPerThreadStream});
    }).join();
    REQUIRE(used);
    batch.release();  // on this thread
    program.download(next_batch(loader, scene.streams), scene.streams);
    program.synchronize(scene.streams);
    scene.fake.run_all();
    check_batches(program, {wanted[0], wanted[1]});
  }
  scene.check_end();
}

TEST_CASE("outputs: a loader of one output survives a release into a capture") {
  Opened scene;
  {
    DeviceLoader loader = scene.open(1);
    const Streams other{scene.fake.stream()};
    DeviceBatch first = next_batch(loader, scene.streams);
    scene.fake.set_capturing(scene.streams[0], true);
    first.release();
    CHECK_THAT(next_error(loader, other).message, ContainsSubstring("being captured"));
    scene.fake.set_capturing(scene.streams[0], false);
    CHECK(next_batch(loader, other).step() == 1);
  }
  scene.check_end();
}

TEST_CASE("outputs: memory is kept while a kernel writes if the next one failed") {
  Opened scene;
  {
    DeviceLoader loader = scene.open(1);
    scene.fake.block(scene.streams[0]);
    scene.fake.fail("LaunchKernel", 1,
                    device::code::kUnknown);  // that of the labels, behind that of the images
    CHECK_THAT(next_error(loader, scene.streams).message, ContainsSubstring("cuLaunchKernel"));
    device::sweep_late();
    check_no_violations(scene.fake);
    CHECK(device::late_count() == 1);
    scene.fake.unblock(scene.streams[0]);
  }
  scene.check_end();
}

namespace {

// One step while allocation number `left` of this thread fails: the error's text; or nothing, and
// the step.
struct Attempt {
  std::string failure;
  std::uint64_t came = 99;
  bool spared = false;  // none failed
};

Attempt attempt(DeviceLoader& loader, const std::vector<DeviceBuffers>& buffers,
                const Streams& streams, bool into, int left) {
  Attempt done;
  const auto note = [&](const auto& result, auto step_of) {
    done.spared = std::exchange(allocations_left, -1) >= 0;
    if (result.ok()) done.came = step_of(*result);
    if (!result.ok()) done.failure = result.error().describe();
  };
  allocations_left = left;
  if (into) {
    note(loader.next_into(buffers, streams), [](const auto& info) { return info->step; });
  } else {
    note(loader.next(streams), [](const auto& batch) { return batch->step(); });
  }
  return done;
}

}  // namespace

TEST_CASE("outputs: next loses nothing if host memory runs out") {
  for (const bool blocked : {false, true}) {
    Opened scene;
    {
      Program program(scene.fake);
      DeviceLoaderOptions options = device_options(small_batches(4));
      options.outputs = 1;
      DeviceLoader loader = open_on(spared_table(scene.fake), scene.fake, scene.dataset, options);
      const auto buffers = program.buffers(loader);
      if (blocked)
        scene.fake.block(scene.streams[0]);  // so that the staged memory of all batches is in use
      REQUIRE(loader.next_into(buffers, scene.streams).ok());
      const std::uint64_t steps = blocked ? options.loader.prefetch_batches : 5;
      for (std::uint64_t step = 1; step < steps; ++step) {
        bool done = false;
        for (int left = 0; !done && left < 1000; ++left) {
          // Waits first, so that only allocations of a call with a batch are counted.
          std::this_thread::sleep_for(std::chrono::milliseconds(left == 0 ? 20 : 0));
          const Attempt tried = attempt(loader, buffers, scene.streams, step % 2 != 0, left);
          done = tried.spared;
          CAPTURE(blocked, step, left, tried.failure);
          REQUIRE(done == tried.failure.empty());
          REQUIRE(loader.state().samples == (step + (done ? 1 : 0)) * 4);
          if (done) {
            CHECK(tried.came == step);
            CHECK(left > 2);
          } else {
            CHECK_THAT(tried.failure, ContainsSubstring("the host has no memory"));
          }
        }
        REQUIRE(done);
      }
      if (blocked) scene.fake.unblock(scene.streams[0]);
      scene.fake.run_all();
    }
    scene.check_end();
  }
}

TEST_CASE("outputs: the batch survives record_stream without host memory") {
  Opened scene;
  {
    DeviceLoader loader = open_on(spared_table(scene.fake), scene.fake, scene.dataset,
                                  device_options(small_batches(4)));
    const DeviceBatch batch = next_batch(loader, scene.streams);
    const StreamHandle reader = scene.fake.stream();
    int left = 0;
    for (bool done = false; !done; ++left) {
      CAPTURE(left);
      REQUIRE(left < 100);
      allocations_left = left;
      const Status used = batch.record_stream(reader);
      done = std::exchange(allocations_left, -1) >= 0;
      REQUIRE(used.ok() == done);
      if (!done) CHECK_THAT(used.error().message, ContainsSubstring("the host has no memory"));
    }
    CHECK(left > 1);
  }
  scene.check_end();
}

TEST_CASE("outputs: open without host memory fails and leaves nothing behind") {
  for (const Residency residency : {Residency::page, Residency::device}) {
    Opened scene;
    const FakeDriver::Held held = scene.fake.held();
    DeviceLoaderOptions options = device_options(small_batches(4), {0}, residency);
    options.loader.threads = 1;
    int left = 0;
    for (bool opened = false; !opened; ++left) {
      CAPTURE(std::string(residency_name(residency)), left);
      REQUIRE(left < 5000);
      auto driver = device::Driver::make(spared_table(scene.fake)).value();
      const auto kernels = scene.fake.kernels();
      DeviceLoaderOptions given = options;
      allocations_left = left;
      const auto loader =
          device::open_device_loader(scene.dataset, std::move(given), driver, kernels);
      opened = std::exchange(allocations_left, -1) >= 0;
      if (opened) REQUIRE(loader.ok());
      if (loader.ok()) continue;  // also where only a text that nobody reads was lost
      CHECK_THAT(loader.error().message,
                 ContainsSubstring("memory") || ContainsSubstring("bad_alloc"));
      driver.reset();
      scene.fake.run_all();
      for (int looks = 0; looks < 10 && device::late_count() > 0; ++looks) device::sweep_late();
      const FakeDriver::Held now = scene.fake.held();
      CAPTURE(now.device_blocks, now.pinned_blocks, now.streams, now.events, now.modules,
              now.retained, device::late_count());
      REQUIRE(now == held);
    }
    CHECK(left > 100);
    scene.check_end();
  }
}

TEST_CASE("outputs: filling a row without host memory fails that row") {
  const TinyPack pack({}, 12, 4);
  for (const Residency residency : {Residency::page, Residency::device}) {
    CargoRig rig;
    RigOptions options;
    options.loader = in_file_order(4);
    options.residency = residency;
    REQUIRE(rig.load(pack.open(), options).ok());
    (void)rig.fill(0, 1);  // opens the shard
    bool done = false;
    int failures = 0;
    for (int left = 0; !done && left < 1000; ++left) {
      CAPTURE(std::string(residency_name(residency)), left);
      auto& slot = rig.begin(0, 1);
      for (std::string& key : slot.keys) std::string().swap(key);
      allocations_left = left;
      const auto failed = rig.fill_rows(slot);
      done = std::exchange(allocations_left, -1) >= 0;
      REQUIRE(done == !failed);
      if (done) continue;
      ++failures;
      CHECK(failed->error.code == ErrorCode::io);
      CHECK_THAT(failed->error.message, ContainsSubstring("memory"));
    }
    CHECK(done);
    CHECK(failures > 0);
  }
}

}  // namespace hotpack::test
