// The fake driver detects the errors that it exists for; otherwise tests that use it prove
// nothing.
#include "support/fake_cuda/fake_driver.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "device/kernels/portable.hpp"
#include "support/catch.hpp"

using namespace hotpack::device;
using hotpack::test::FakeDriver;
using hotpack::test::FakeOptions;
using hotpack::test::Schedule;

namespace {

constexpr std::size_t kBytes = 64;

// A program with a context of device 0 current. Its functions check that the driver succeeds.
class Program {
 public:
  explicit Program(FakeOptions options = {}) : fake(options), api(fake.table()) {
    good(api.Init(0));
    good(api.DevicePrimaryCtxRetain(&context, 0));
    good(api.CtxPushCurrent(context));
  }
  ~Program() {
    ContextHandle popped = nullptr;
    api.CtxPopCurrent(&popped);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  static void good(int code) { REQUIRE(code == code::kSuccess); }
  template <class Handle, class... Arguments>
  static Handle made(int (*call)(Handle*, Arguments...),
                     std::type_identity_t<Arguments>... arguments) {
    Handle handle{};
    good(call(&handle, arguments...));
    return handle;
  }
  Pointer memory(std::size_t bytes = kBytes) const { return made(api.MemAlloc, bytes); }
  PoolHandle pool() const {
    const PoolProperties properties;
    return made(api.MemPoolCreate, &properties);
  }
  Pointer take(PoolHandle pool, StreamHandle stream) const {
    return made(api.MemAllocFromPoolAsync, kBytes, pool, stream);
  }
  std::byte* pinned(int value) const {
    return static_cast<std::byte*>(std::memset(made(api.MemHostAlloc, kBytes, 0U), value, kBytes));
  }
  StreamHandle stream() const { return made(api.StreamCreate, kStreamNonBlocking); }
  EventHandle event() const { return made(api.EventCreate, kEventDisableTiming); }
  void set(Pointer to, int value, StreamHandle stream, std::size_t bytes = kBytes) const {
    good(api.MemsetD8Async(to, static_cast<unsigned char>(value), bytes, stream));
  }
  void upload(Pointer to, const void* from, StreamHandle stream) const {
    good(api.MemcpyHtoDAsync(to, from, kBytes, stream));
  }
  void copy(Pointer to, Pointer from, StreamHandle stream) const {
    good(api.MemcpyDtoDAsync(to, from, kBytes, stream));
  }
  void record(EventHandle event, StreamHandle on) const { good(api.EventRecord(event, on)); }
  void wait(StreamHandle on, EventHandle event) const { good(api.StreamWaitEvent(on, event, 0)); }
  void order(StreamHandle before, StreamHandle after) const {
    const EventHandle event = this->event();
    record(event, before);
    wait(after, event);
  }
  void synchronize(StreamHandle stream) const { good(api.StreamSynchronize(stream)); }
  // The value of all bytes; −1 if they differ.
  int value(Pointer memory, std::size_t bytes = kBytes) const {
    const auto all = fake.bytes(memory, bytes);
    const bool same = std::ranges::count(all, all.at(0)) == std::ssize(all);
    return same ? std::to_integer<int>(all[0]) : -1;
  }

  FakeDriver fake;
  const DriverTable& api;
  ContextHandle context = nullptr;
};

// A launch of one row of 2×2 pixels without a sample: every label is the ignore index.
struct Launch {
  explicit Launch(const Program& of) : program(of) {
    RowEntry row;
    row.record_width = row.record_height = row.width = row.height = 2;
    program.good(program.api.MemcpyHtoDAsync(rows, &row, sizeof row, nullptr));
    program.synchronize(nullptr);
    args.rows = device_pointer<const RowEntry>(rows);
    args.records = device_pointer<const std::uint8_t>(records);
    args.out = device_pointer<void>(out);
    args.row_bytes = 4;
    args.ignore_index = 255;
    args.row_count = 1;
    args.width = args.height = 2;
    args.width_reciprocal = args.height_reciprocal = reciprocal_of(2);
    args.storage = kStoredIndex;
    args.vector_bytes = 1;
    args.classes = 3;
  }
  int operator()() {
    void* parameters[] = {&args};
    return program.api.LaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr);
  }
  const Program& program;
  Pointer rows = program.memory(), records = program.memory(), out = program.memory(4);
  StreamHandle stream = program.stream();
  ModuleHandle module = program.made(program.api.ModuleLoadData, FakeDriver::kernels().data());
  FunctionHandle function =
      program.made(program.api.ModuleGetFunction, module, "hotpack_label_ids_u8");
  KernelArgs args;
};

// Does what is wrong in one way of many, and returns the text of the error that this is. Null:
// there are fewer ways.
const char* make_error(Program& p, int way) {
  const DriverTable& api = p.api;
  const StreamHandle stream = p.stream(), other = p.stream();
  const Pointer memory = p.memory(), of_pool = p.take(p.pool(), stream);
  std::byte* const pinned = p.pinned(1);
  switch (way) {
    case 0:
      api.MemcpyHtoDAsync(p.memory(99), pinned, kBytes + 1, stream);
      return "runs past the end of a block of 64 bytes, of which it begins at byte 0";
    case 1:
      api.MemsetD8Async(reinterpret_cast<std::uintptr_t>(pinned), 0, 1, stream);
      return "is pinned memory";
    case 2:
      api.MemFree(memory);
      CHECK(api.MemsetD8Async(memory, 0, 1, stream) == code::kInvalidValue);
      return "is memory that was freed";
    case 3:
      api.MemFree(memory + 8);
      return "not the beginning of a block";
    case 4:
      CHECK(memory % 256 == 0);
      CHECK((memory + 256) % 4096 == 0);  // then comes the fence
      device_pointer<char>(memory)[kBytes] = 0;
      api.MemFree(memory);
      return "behind the end of a block of 64 bytes";
    case 5:
      p.upload(memory, pinned, stream);
      api.MemFreeHost(pinned);
      p.synchronize(stream);
      CHECK(p.value(memory) == 0xDD);
      return "1 operations in flight use the block of 64 bytes";
    case 6:
      api.MemsetD8Async(of_pool, 1, kBytes, other);
      return "MemsetD8Async: races with work in flight of MemAllocFromPoolAsync";
    case 7:
      p.order(stream, other);
      p.set(of_pool, 1, stream);
      api.MemFreeAsync(of_pool, other);
      p.synchronize(other);
      CHECK(*device_pointer<unsigned char>(of_pool) == 0xDD);
      return "MemFreeAsync: races with work in flight of MemsetD8Async";
    case 8:
      api.MemFreeAsync(of_pool, stream);
      CHECK(api.MemsetD8Async(of_pool, 1, kBytes, stream) == code::kInvalidValue);
      return "is memory that was freed";
    case 9:
      api.MemFree(of_pool);
      return "1 operations in flight use the block of 64 bytes";
    case 10: {
      ContextHandle popped = nullptr;
      api.CtxPopCurrent(&popped);
      CHECK(api.StreamSynchronize(stream) == code::kInvalidContext);
      api.CtxPushCurrent(popped);
      return "no context is current";
    }
    case 11:
      api.DevicePrimaryCtxRelease(0);
      return "the last release, with 5 blocks, streams and events in it";
    case 12:
      std::thread([&] { api.CtxPushCurrent(p.context); }).join();
      return "a thread ended: 1 contexts were pushed and not popped";
    case 13:
      CHECK(api.EventRecord(p.event(), p.fake.stream(1)) == code::kInvalidHandle);
      return "the event is of device 0, the stream of device 1";
    case 14:
      api.StreamDestroy(stream);
      CHECK(api.StreamSynchronize(stream) == code::kInvalidHandle);
      return "is no stream, or no longer";
    case 15:
      p.fake.set_capturing(other, true);
      p.set(memory, 1, other);
      return "captured: the stream";
    default:
      return nullptr;
  }
}

// The same for launches.
const char* make_error_of_launch(Program& p, int way) {
  Launch launch(p);
  switch (way) {
    case 0:
      p.good(launch());
      p.set(launch.records + 1, 1, p.stream(), 1);
      return "races with work in flight of LaunchKernel";
    case 1:
      p.good(launch());
      p.good(p.api.ModuleUnload(launch.module));
      return "1 launches of its kernels are in flight";
    case 2:
      launch.args.row_bytes = 5;
      CHECK(launch() == code::kInvalidValue);
      return "args.out, 5 bytes at";
    case 3:
      launch.stream = p.fake.stream(1);
      CHECK(launch() == code::kInvalidHandle);
      return "the kernel is of device 0, the stream of device 1";
    default:
      return nullptr;
  }
}

}  // namespace

TEST_CASE("every error is noted once") {
  const auto do_wrong = GENERATE(make_error, make_error_of_launch);
  int way = 0;
  for (const char* text = ""; text != nullptr; ++way) {
    Program program({.devices = 2});
    text = do_wrong(program, way);
    INFO("way " << way);
    const auto all = program.fake.violations();
    REQUIRE(all.size() == (text == nullptr ? 0 : 1));
    if (text != nullptr) CHECK_THAT(all[0], ContainsSubstring(text));
  }
  CHECK(way > 4);
}

TEST_CASE("late: work runs when somebody waits for it, and only what it needs") {
  Program program;
  const Pointer wanted = program.memory(), other = program.memory();
  const StreamHandle stream = program.stream();
  std::byte* const source = program.pinned(1);
  program.upload(wanted, source, stream);
  program.set(other, 2, program.stream());
  CHECK(program.value(wanted) == 0xA5);
  std::memset(source, 3, kBytes);  // too early
  program.synchronize(stream);
  CHECK(program.value(wanted) == 3);
  CHECK(program.value(other) == 0xA5);
  program.fake.run_all();
  CHECK(program.value(other) == 2);
}

TEST_CASE("another stream reads poison unless it waits, and that is noted") {
  const bool waits = GENERATE(false, true);
  const Schedule schedule = GENERATE(Schedule::late, Schedule::random);
  int poisoned = 0, noted = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Program program({.schedule = schedule, .seed = seed});
    const Pointer staged = program.memory(), output = program.memory();
    const StreamHandle copies = program.stream(), consumer = program.stream();
    program.set(staged, 6, copies, kBytes / 2);
    program.set(staged + kBytes / 2, 7, consumer, kBytes / 2);  // other bytes
    if (waits) program.order(copies, consumer);
    program.copy(output, staged, consumer);
    program.synchronize(consumer);
    poisoned += program.value(output, kBytes / 2) == 6 ? 0 : 1;
    noted += program.fake.violations().empty() ? 0 : 1;
  }
  if (waits) {
    CHECK(poisoned + noted == 0);
  } else {
    CHECK(poisoned > (schedule == Schedule::late ? 49 : 5));
    CHECK(noted >= poisoned);
  }
}

TEST_CASE("a wait is for what was recorded by then, and outlives its event") {
  Program program;
  const Pointer first = program.memory(), second = program.memory();
  const StreamHandle writer = program.stream(), reader = program.stream();
  const EventHandle event = program.event();
  program.wait(reader, event);  // never recorded: no wait, and complete
  program.good(program.api.EventQuery(event));
  program.set(first, 1, writer);
  program.record(event, writer);
  program.wait(reader, event);
  program.set(second, 2, writer);
  program.record(event, writer);
  program.synchronize(reader);
  CHECK(program.value(first) == 1);
  CHECK(program.value(second) == 0xA5);
  program.wait(reader, event);
  program.good(program.api.EventDestroy(event));
  program.good(program.api.StreamDestroy(writer));
  program.synchronize(reader);
  CHECK(program.value(second) == 2);
  CHECK(program.fake.violations().empty());
}

TEST_CASE("waits that spin and copies of pageable memory are counted") {
  Program program;
  std::vector<std::byte> bytes(kBytes, std::byte{1});
  program.upload(program.memory(), bytes.data(), nullptr);
  CHECK(program.fake.pageable_copies() == 1);
  for (const unsigned flags : {kEventDisableTiming, kEventDisableTiming | kEventBlockingSync}) {
    const EventHandle event = program.made(program.api.EventCreate, flags);
    program.record(event, nullptr);
    CHECK(program.api.EventQuery(event) == code::kNotReady);
    program.good(program.api.EventQuery(event));
    program.good(program.api.EventSynchronize(event));
  }
  CHECK(program.fake.spinning_waits() == 1);
}

TEST_CASE("the legacy stream and blocking streams wait for each other only") {
  Program program;
  const Pointer memory = program.memory();
  const StreamHandle legacy = GENERATE(StreamHandle{nullptr}, kLegacyStream);
  const bool blocking = GENERATE(true, false);
  const StreamHandle stream = program.fake.stream(0, blocking);
  const auto set_then_wait = [&](int value, StreamHandle on, StreamHandle waits) {
    program.set(memory, value, on);
    program.fake.enqueue(waits, [] {});
    program.fake.synchronize(waits);
  };
  set_then_wait(1, stream, legacy);
  CHECK(program.value(memory) == (blocking ? 1 : 0xA5));
  set_then_wait(2, legacy, stream);
  CHECK(program.value(memory) == (blocking ? 2 : 1));
  set_then_wait(3, kPerThreadStream, legacy);
  CHECK(program.value(memory) == 3);
  program.set(memory, 4, kPerThreadStream);
  std::thread([&] { program.fake.synchronize(kPerThreadStream); }).join();  // its own one
  CHECK(program.value(memory) == 3);
}

TEST_CASE("a block delays later work and everything that waits for it") {
  Program program;
  const Pointer before = program.memory(), after = program.memory();
  const StreamHandle stream = program.fake.stream(), other = program.stream();
  program.set(before, 1, stream);
  program.fake.block(stream);
  program.set(after, 2, stream);
  program.order(stream, other);
  program.fake.run_all();
  CHECK(program.value(before) == 1);
  CHECK(program.value(after) == 0xA5);
  const bool breaks = GENERATE(false, true);
  std::thread helper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    breaks ? program.fake.break_context(0, code::kIllegalAddress) : program.fake.unblock(stream);
  });
  const int code = program.api.StreamSynchronize(other);  // waits for the helper
  helper.join();
  CHECK(code == (breaks ? code::kIllegalAddress : code::kSuccess));
  CHECK(program.value(after) == (breaks ? 0xA5 : 2));
  if (breaks) CHECK_THROWS_AS(program.fake.synchronize(stream), std::runtime_error);
  CHECK(program.fake.violations().empty());
}

namespace {

// The order in which the operations of three streams run.
std::string order(std::uint64_t seed) {
  Program program({.schedule = Schedule::random, .seed = seed});
  std::string ran;
  const StreamHandle streams[] = {program.fake.stream(), program.fake.stream(),
                                  program.fake.stream()};
  int mode = 0;
  for (int round = 0; round < 6; ++round) {
    for (int stream = 0; stream < 3; ++stream) {
      const auto letter = static_cast<char>("adg"[stream] + round % 3);
      program.fake.enqueue(streams[stream], [&ran, letter] { ran += letter; });
      program.good(program.api.ThreadExchangeStreamCaptureMode(&mode));
    }
  }
  for (const StreamHandle stream : streams) program.fake.synchronize(stream);
  return ran;
}

}  // namespace

TEST_CASE("random schedules are legal, repeat with their seed and differ by it") {
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::string ran = order(seed);
    CHECK(order(seed) == ran);
    for (const std::string stream : {"abc", "def", "ghi"}) {
      std::string own = ran;
      std::erase_if(own, [&](char each) { return stream.find(each) == std::string::npos; });
      CHECK(own == stream + stream);
    }
    orders.insert(ran);
  }
  CHECK(orders.size() >= 10);
}

TEST_CASE("memory of a pool is for streams in order, and outlives the pool") {
  Program program;
  const StreamHandle stream = program.stream(), other = program.stream();
  const PoolHandle pool = program.pool();
  const Pointer memory = program.take(pool, stream);
  program.set(memory, 1, stream);
  program.order(stream, other);
  program.set(memory, 2, other);
  program.order(other, stream);
  program.good(program.api.MemPoolDestroy(pool));
  CHECK(program.fake.held().device_blocks == 1);
  program.synchronize(stream);
  CHECK(program.value(memory) == 2);
  program.good(program.api.MemFreeAsync(memory, stream));
  CHECK(program.fake.held().device_bytes == 0);
  program.synchronize(stream);
  CHECK(program.fake.violations().empty());
}

TEST_CASE("a broken context fails every call, and runs and uses nothing") {
  Program program({.devices = 2});
  const Pointer memory = program.memory();
  const StreamHandle stream = program.stream();
  const Pointer of_pool = program.take(program.pool(), stream);
  const EventHandle event = program.event();
  std::byte* const source = program.pinned(1);
  program.upload(memory, source, stream);
  program.record(event, stream);
  program.fake.break_context(0, code::kLaunchFailed);
  program.fake.run_all();
  CHECK(program.value(memory) == 0xA5);
  for (const int found : {program.api.EventQuery(event), program.api.StreamSynchronize(stream),
                          program.api.MemsetD8Async(memory, 1, kBytes, stream),
                          // Released nevertheless.
                          program.api.MemFree(memory), program.api.MemFreeAsync(of_pool, stream),
                          program.api.EventDestroy(event), program.api.StreamDestroy(stream)})
    CHECK(found == code::kLaunchFailed);
  CHECK(program.api.MemFreeHost(source) == code::kLaunchFailed);
  CHECK(program.fake.held() == FakeDriver::Held{.pools = 1, .retained = 1});
  CHECK(program.fake.violations().empty());
}
