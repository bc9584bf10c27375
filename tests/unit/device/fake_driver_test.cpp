// The fake driver detects the errors that it exists for; otherwise tests that use it prove
// nothing.
#include "support/fake_cuda/fake_driver.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "device/kernels/image_args.hpp"
#include "device/kernels/label_args.hpp"
#include "support/catch.hpp"

using hotpack::device::ContextHandle;
using hotpack::device::DriverTable;
using hotpack::device::EventHandle;
using hotpack::device::FunctionHandle;
using hotpack::device::kLegacyStream;
using hotpack::device::kPerThreadStream;
using hotpack::device::LabelArgs;
using hotpack::device::ModuleHandle;
using hotpack::device::Pointer;
using hotpack::device::RowEntry;
using hotpack::device::StreamHandle;
using hotpack::test::FakeDriver;
using hotpack::test::FakeOptions;
using hotpack::test::Schedule;
namespace code = hotpack::device::code;

namespace {

constexpr std::size_t kBytes = 64;

// A program with a context of device 0 current.
class Program {
 public:
  explicit Program(FakeOptions options = {}) : fake(options), api(fake.table()) {
    REQUIRE(api.Init(0) == code::kSuccess);
    REQUIRE(api.DevicePrimaryCtxRetain(&context, 0) == code::kSuccess);
    REQUIRE(api.CtxPushCurrent(context) == code::kSuccess);
  }
  ~Program() {
    ContextHandle popped = nullptr;
    api.CtxPopCurrent(&popped);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Pointer device_memory(std::size_t bytes = kBytes) const {
    Pointer memory = 0;
    REQUIRE(api.MemAlloc(&memory, bytes) == code::kSuccess);
    return memory;
  }
  std::byte* pinned(int value, std::size_t bytes = kBytes) const {
    void* memory = nullptr;
    REQUIRE(api.MemHostAlloc(&memory, bytes, 0) == code::kSuccess);
    std::memset(memory, value, bytes);
    return static_cast<std::byte*>(memory);
  }
  StreamHandle stream(unsigned flags = hotpack::device::kStreamNonBlocking) const {
    StreamHandle made = nullptr;
    REQUIRE(api.StreamCreate(&made, flags) == code::kSuccess);
    return made;
  }
  EventHandle event() const {
    EventHandle made = nullptr;
    REQUIRE(api.EventCreate(&made, hotpack::device::kEventDisableTiming) == code::kSuccess);
    return made;
  }
  // The value of all bytes; −1 if they differ.
  int value(Pointer memory, std::size_t bytes = kBytes) const {
    const auto all = fake.bytes(memory, bytes);
    if (all.empty() ||
        std::any_of(all.begin(), all.end(), [&](std::byte each) { return each != all[0]; }))
      return -1;
    return std::to_integer<int>(all[0]);
  }
  void require_violation(const std::string& text) const {
    const auto all = fake.violations();
    REQUIRE(all.size() == 1);
    CHECK_THAT(all[0], ContainsSubstring(text));
  }

  FakeDriver fake;
  const DriverTable& api;
  ContextHandle context = nullptr;
};

}  // namespace

// ---- Order of streams.

TEST_CASE("late: work runs only when somebody waits for it") {
  Program program;
  const Pointer memory = program.device_memory();
  const StreamHandle stream = program.stream();
  CHECK(program.api.MemcpyHtoDAsync(memory, program.pinned(1), kBytes, stream) == code::kSuccess);
  CHECK(program.value(memory) == 0xA5);
  CHECK(program.api.StreamSynchronize(stream) == code::kSuccess);
  CHECK(program.value(memory) == 1);
  CHECK(program.fake.violations().empty());
}

TEST_CASE("late: another stream reads poison unless it waits for the event") {
  const bool waits = GENERATE(false, true);
  Program program;
  const Pointer staged = program.device_memory();
  const Pointer output = program.device_memory();
  const StreamHandle copies = program.stream();
  const StreamHandle consumer = program.stream();
  const EventHandle copied = program.event();
  CHECK(program.api.MemcpyHtoDAsync(staged, program.pinned(7), kBytes, copies) == code::kSuccess);
  CHECK(program.api.EventRecord(copied, copies) == code::kSuccess);
  if (waits) CHECK(program.api.StreamWaitEvent(consumer, copied, 0) == code::kSuccess);
  CHECK(program.api.MemcpyDtoDAsync(output, staged, kBytes, consumer) == code::kSuccess);
  CHECK(program.api.StreamSynchronize(consumer) == code::kSuccess);
  CHECK(program.value(output) == (waits ? 7 : 0xA5));
}

TEST_CASE("late: pinned memory overwritten before its copy gives the new bytes") {
  Program program;
  const Pointer memory = program.device_memory();
  const StreamHandle stream = program.stream();
  std::byte* const source = program.pinned(1);
  CHECK(program.api.MemcpyHtoDAsync(memory, source, kBytes, stream) == code::kSuccess);
  std::memset(source, 2, kBytes);
  CHECK(program.api.StreamSynchronize(stream) == code::kSuccess);
  CHECK(program.value(memory) == 2);
}

TEST_CASE("memory that is not pinned is copied at the call and counted") {
  Program program;
  const Pointer memory = program.device_memory();
  const StreamHandle stream = program.stream();
  std::vector<std::byte> bytes(kBytes, std::byte{1});
  CHECK(program.api.MemcpyHtoDAsync(memory, bytes.data(), kBytes, stream) == code::kSuccess);
  std::fill(bytes.begin(), bytes.end(), std::byte{2});
  CHECK(program.api.StreamSynchronize(stream) == code::kSuccess);
  CHECK(program.value(memory) == 1);
  CHECK(program.fake.pageable_copies() == 1);
  // Copies to such memory: the driver waits.
  CHECK(program.api.MemsetD8Async(memory, 3, kBytes, stream) == code::kSuccess);
  CHECK(program.api.MemcpyDtoHAsync(bytes.data(), memory, kBytes, stream) == code::kSuccess);
  CHECK(bytes[kBytes - 1] == std::byte{3});
  CHECK(program.fake.pageable_copies() == 2);
}

TEST_CASE("a wait is for what the event had recorded by then") {
  Program program;
  const Pointer first = program.device_memory();
  const Pointer second = program.device_memory();
  const StreamHandle writer = program.stream();
  const StreamHandle reader = program.stream();
  const EventHandle event = program.event();
  // Never recorded: no wait, and complete.
  CHECK(program.api.StreamWaitEvent(reader, event, 0) == code::kSuccess);
  CHECK(program.api.EventQuery(event) == code::kSuccess);
  CHECK(program.api.MemsetD8Async(first, 1, kBytes, writer) == code::kSuccess);
  CHECK(program.api.EventRecord(event, writer) == code::kSuccess);
  CHECK(program.api.StreamWaitEvent(reader, event, 0) == code::kSuccess);
  CHECK(program.api.MemsetD8Async(second, 2, kBytes, writer) == code::kSuccess);
  CHECK(program.api.EventRecord(event, writer) == code::kSuccess);
  CHECK(program.api.StreamSynchronize(reader) == code::kSuccess);
  CHECK(program.value(first) == 1);
  CHECK(program.value(second) == 0xA5);
  CHECK(program.api.EventSynchronize(event) == code::kSuccess);
  CHECK(program.value(second) == 2);
}

TEST_CASE("waits outlive the event that they were made of") {
  Program program;
  const Pointer memory = program.device_memory();
  const StreamHandle writer = program.stream();
  const StreamHandle reader = program.stream();
  const EventHandle event = program.event();
  CHECK(program.api.MemsetD8Async(memory, 1, kBytes, writer) == code::kSuccess);
  CHECK(program.api.EventRecord(event, writer) == code::kSuccess);
  CHECK(program.api.StreamWaitEvent(reader, event, 0) == code::kSuccess);
  CHECK(program.api.EventDestroy(event) == code::kSuccess);
  CHECK(program.api.StreamDestroy(writer) == code::kSuccess);
  CHECK(program.api.StreamSynchronize(reader) == code::kSuccess);
  CHECK(program.value(memory) == 1);
  CHECK(program.fake.violations().empty());
}

TEST_CASE("the legacy stream and blocking streams wait for each other only") {
  Program program;
  const Pointer memory = program.device_memory();
  const StreamHandle legacy = GENERATE(StreamHandle{nullptr}, kLegacyStream);
  const bool blocking = GENERATE(true, false);
  const StreamHandle stream = program.fake.stream(0, blocking);
  const auto set = [&](int value, StreamHandle on) {
    CHECK(program.api.MemsetD8Async(memory, static_cast<unsigned char>(value), kBytes, on) ==
          code::kSuccess);
  };
  set(1, stream);
  program.fake.enqueue(legacy, [] {});
  program.fake.synchronize(legacy);
  CHECK(program.value(memory) == (blocking ? 1 : 0xA5));
  set(2, legacy);
  program.fake.enqueue(stream, [] {});
  program.fake.synchronize(stream);
  CHECK(program.value(memory) == (blocking ? 2 : 1));
  set(3, kPerThreadStream);
  program.fake.enqueue(legacy, [] {});
  program.fake.synchronize(legacy);
  CHECK(program.value(memory) == 3);
}

TEST_CASE("every thread has a per-thread stream of its own") {
  Program program;
  const Pointer memory = program.device_memory();
  CHECK(program.api.MemsetD8Async(memory, 1, kBytes, kPerThreadStream) == code::kSuccess);
  std::thread([&] { program.fake.synchronize(kPerThreadStream); }).join();
  CHECK(program.value(memory) == 0xA5);
  program.fake.synchronize(kPerThreadStream);
  CHECK(program.value(memory) == 1);
}

TEST_CASE("late: an event needs several polls and each runs only what it needs") {
  Program program;
  const Pointer wanted = program.device_memory();
  const Pointer other = program.device_memory();
  const StreamHandle stream = program.stream();
  const EventHandle event = program.event();
  CHECK(program.api.MemsetD8Async(other, 1, kBytes, program.stream()) == code::kSuccess);
  CHECK(program.api.MemsetD8Async(wanted, 2, kBytes, stream) == code::kSuccess);
  CHECK(program.api.EventRecord(event, stream) == code::kSuccess);
  int polls = 1;
  for (; program.api.EventQuery(event) == code::kNotReady; ++polls) REQUIRE(polls < 10);
  CHECK(program.value(wanted) == 2);
  CHECK(program.value(other) == 0xA5);
  program.fake.run_all();
  CHECK(program.value(other) == 1);
}

TEST_CASE("most events are found unfinished by their first query") {
  Program program;
  const StreamHandle stream = program.stream();
  const EventHandle event = program.event();
  int unfinished = 0;
  for (int round = 0; round < 30; ++round) {
    program.fake.enqueue(stream, [] {});
    CHECK(program.api.EventRecord(event, stream) == code::kSuccess);
    unfinished += program.api.EventQuery(event) == code::kNotReady ? 1 : 0;
    CHECK(program.api.EventSynchronize(event) == code::kSuccess);
  }
  CHECK(unfinished >= 10);
}

// ---- Blocks.

TEST_CASE("a block delays later work and everything that waits for it") {
  Program program;
  const Pointer before = program.device_memory();
  const Pointer after = program.device_memory();
  const StreamHandle stream = program.fake.stream();
  const StreamHandle other = program.stream();
  const EventHandle event = program.event();
  CHECK(program.api.MemsetD8Async(before, 1, kBytes, stream) == code::kSuccess);
  program.fake.block(stream);
  CHECK(program.api.MemsetD8Async(after, 2, kBytes, stream) == code::kSuccess);
  CHECK(program.api.EventRecord(event, stream) == code::kSuccess);
  CHECK(program.api.StreamWaitEvent(other, event, 0) == code::kSuccess);
  for (int poll = 0; poll < 100; ++poll) REQUIRE(program.api.EventQuery(event) == code::kNotReady);
  program.fake.run_all();
  CHECK(program.value(before) == 1);
  CHECK(program.value(after) == 0xA5);
  std::thread helper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    program.fake.unblock(stream);
  });
  CHECK(program.api.StreamSynchronize(other) == code::kSuccess);  // waits for the helper
  helper.join();
  CHECK(program.value(after) == 2);
  CHECK(program.fake.violations().empty());
}

TEST_CASE("a wait behind a block ends when the context breaks") {
  Program program;
  const StreamHandle stream = program.fake.stream();
  program.fake.block(stream);
  std::thread helper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    program.fake.break_context(0, code::kIllegalAddress);
  });
  CHECK(program.api.StreamSynchronize(stream) == code::kIllegalAddress);
  helper.join();
  CHECK_THROWS_AS(program.fake.synchronize(stream), std::runtime_error);
}

// ---- Memory.

TEST_CASE("memory ends at a fence and writes past the end are found") {
  Program program;
  const Pointer memory = program.device_memory(100);
  CHECK(memory % 256 == 0);
  CHECK((memory + 256) % 4096 == 0);
  reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(memory))[100] = std::byte{0};
  CHECK(program.api.MemFree(memory) == code::kSuccess);
  program.require_violation("behind the end of a block of 100 bytes");
}

TEST_CASE("ranges outside of memory are refused and noted") {
  Program program;
  const StreamHandle stream = program.stream();
  const Pointer memory = program.device_memory();
  std::byte* const source = program.pinned(1, 2 * kBytes);
  std::string expected;
  SECTION("past the end") {
    CHECK(program.api.MemcpyHtoDAsync(memory + 1, source, kBytes, stream) == code::kInvalidValue);
    expected = "the target, 64 bytes at";
  }
  SECTION("source past the end") {
    const Pointer large = program.device_memory(4 * kBytes);
    CHECK(program.api.MemcpyHtoDAsync(large, source, 2 * kBytes + 1, stream) ==
          code::kInvalidValue);
    expected = "runs past the end of a block of 128 bytes";
  }
  SECTION("pinned memory as device memory") {
    CHECK(program.api.MemsetD8Async(reinterpret_cast<std::uintptr_t>(source), 0, 1, stream) ==
          code::kInvalidValue);
    expected = "is pinned memory";
  }
  SECTION("device memory as host memory") {
    CHECK(program.api.MemcpyHtoDAsync(
              memory, reinterpret_cast<const void*>(static_cast<std::uintptr_t>(memory)), 1,
              stream) == code::kInvalidValue);
    expected = "is device memory";
  }
  SECTION("freed") {
    CHECK(program.api.MemFree(memory) == code::kSuccess);
    CHECK(program.api.MemsetD8Async(memory, 0, 1, stream) == code::kInvalidValue);
    expected = "is memory that was freed";
  }
  SECTION("freed twice") {
    CHECK(program.api.MemFreeHost(source) == code::kSuccess);
    CHECK(program.api.MemFreeHost(source) == code::kInvalidValue);
    expected = "is memory that was freed";
  }
  SECTION("freed from its middle") {
    CHECK(program.api.MemFree(memory + 8) == code::kInvalidValue);
    expected = "not the beginning";
  }
  program.require_violation(expected);
}

TEST_CASE("freeing memory that work in flight uses is noted") {
  Program program;
  const StreamHandle stream = program.stream();
  const Pointer memory = program.device_memory();
  const Pointer target = program.device_memory();
  std::byte* const source = program.pinned(1);
  SECTION("device") {
    CHECK(program.api.MemcpyDtoDAsync(target, memory, kBytes, stream) == code::kSuccess);
    CHECK(program.api.MemFree(memory) == code::kSuccess);
    CHECK(program.api.StreamSynchronize(stream) == code::kSuccess);
    CHECK(program.value(target) == 0xDD);
  }
  SECTION("pinned") {
    CHECK(program.api.MemcpyHtoDAsync(target, source, kBytes, stream) == code::kSuccess);
    CHECK(program.api.MemFreeHost(source) == code::kSuccess);
    CHECK(program.api.StreamSynchronize(stream) == code::kSuccess);
    CHECK(program.value(target) == 0xDD);
  }
  program.require_violation("1 operations in flight use the block of 64 bytes");
}

TEST_CASE("memory may be freed once the work is done") {
  Program program;
  const StreamHandle stream = program.stream();
  const Pointer memory = program.device_memory();
  std::byte* const source = program.pinned(1);
  CHECK(program.api.MemcpyHtoDAsync(memory, source, kBytes, stream) == code::kSuccess);
  CHECK(program.api.StreamSynchronize(stream) == code::kSuccess);
  CHECK(program.api.MemFreeHost(source) == code::kSuccess);
  CHECK(program.api.MemFree(memory) == code::kSuccess);
  CHECK(program.fake.violations().empty());
  CHECK(program.fake.held() == FakeDriver::Held{.streams = 1, .retained = 1});
}

TEST_CASE("memory is limited and reported") {
  Program program({.device_bytes = 1000, .pinned_bytes = 500});
  std::size_t free = 0;
  std::size_t total = 0;
  const Pointer memory = program.device_memory(600);
  CHECK(program.api.MemGetInfo(&free, &total) == code::kSuccess);
  CHECK(free == 400);
  CHECK(total == 1000);
  Pointer more = 1;
  CHECK(program.api.MemAlloc(&more, 401) == code::kOutOfMemory);
  CHECK(more == 1);
  void* pinned = nullptr;
  CHECK(program.api.MemHostAlloc(&pinned, 501, 0) == code::kOutOfMemory);
  CHECK(program.api.MemHostAlloc(&pinned, 500, 0) == code::kSuccess);
  CHECK(program.fake.held() == FakeDriver::Held{.device_blocks = 1,
                                                .device_bytes = 600,
                                                .pinned_blocks = 1,
                                                .pinned_bytes = 500,
                                                .retained = 1});
  CHECK(program.api.MemFree(memory) == code::kSuccess);
  CHECK(program.api.MemAlloc(&more, 1000) == code::kSuccess);
}

TEST_CASE("unordered work on the same bytes is noted") {
  Program program({.schedule = GENERATE(Schedule::late, Schedule::random)});
  const Pointer memory = program.device_memory();
  const Pointer target = program.device_memory();
  const StreamHandle writer = program.stream();
  const StreamHandle reader = program.stream();
  const EventHandle event = program.event();
  program.fake.block(writer);
  CHECK(program.api.MemsetD8Async(memory, 1, kBytes / 2, writer) == code::kSuccess);
  // Writes of other bytes are free; so are reads of the same ones.
  CHECK(program.api.MemsetD8Async(memory + kBytes / 2, 1, kBytes / 2, reader) == code::kSuccess);
  CHECK(program.api.MemcpyDtoHAsync(program.pinned(0), target, kBytes, writer) == code::kSuccess);
  CHECK(program.api.MemcpyDtoHAsync(program.pinned(0), target, kBytes, reader) == code::kSuccess);
  CHECK(program.fake.violations().empty());
  const bool waits = GENERATE(false, true);
  if (waits) {
    CHECK(program.api.EventRecord(event, writer) == code::kSuccess);
    CHECK(program.api.StreamWaitEvent(reader, event, 0) == code::kSuccess);
  }
  CHECK(program.api.MemcpyDtoDAsync(program.device_memory(), memory, kBytes, reader) ==
        code::kSuccess);
  if (waits) {
    CHECK(program.fake.violations().empty());
  } else {
    program.require_violation("MemcpyDtoDAsync: races with work in flight of MemsetD8Async");
  }
}

// ---- Contexts and handles.

TEST_CASE("calls need a context, and their handles must be of the right one") {
  Program program({.devices = 2});
  std::size_t free = 0;
  std::size_t total = 0;
  SECTION("none") {
    ContextHandle popped = nullptr;
    CHECK(program.api.CtxPopCurrent(&popped) == code::kSuccess);
    CHECK(popped == program.context);
    CHECK(program.api.MemGetInfo(&free, &total) == code::kInvalidContext);
    CHECK(program.api.CtxPushCurrent(program.context) == code::kSuccess);
    program.require_violation("no context is current");
  }
  SECTION("released") {
    CHECK(program.api.DevicePrimaryCtxRelease(0) == code::kSuccess);
    CHECK(program.api.MemGetInfo(&free, &total) == 709);
    program.require_violation("was released");
  }
  SECTION("released with things in it") {
    static_cast<void>(program.device_memory());
    CHECK(program.api.DevicePrimaryCtxRelease(0) == code::kSuccess);
    program.require_violation("the last release, with 1 ");
  }
  SECTION("an event of another device") {
    const StreamHandle other = program.fake.stream(1);
    const EventHandle event = program.event();
    CHECK(program.api.EventRecord(event, other) == code::kInvalidHandle);
    CHECK(program.api.StreamWaitEvent(other, event, 0) == code::kSuccess);
    ContextHandle context = nullptr;
    CHECK(program.api.StreamGetCtx(other, &context) == code::kSuccess);
    CHECK(context != program.context);
    CHECK(program.api.StreamGetCtx(nullptr, &context) == code::kSuccess);
    CHECK(context == program.context);
    program.require_violation("the event is of device 0, the stream of device 1");
  }
  SECTION("handles that are none") {
    const StreamHandle stream = program.stream();
    CHECK(program.api.StreamDestroy(stream) == code::kSuccess);
    CHECK(program.api.StreamSynchronize(stream) == code::kInvalidHandle);
    program.require_violation("is no stream, or no longer");
  }
}

TEST_CASE("handles of an earlier driver do not affect the next one") {
  StreamHandle former = nullptr;
  {
    Program program;
    former = program.stream();
  }
  Program program;
  CHECK(program.api.StreamSynchronize(former) == code::kDeinitialized);
  CHECK(program.fake.violations().empty());
}

TEST_CASE("a thread that ends with a context pushed is noted") {
  Program program;
  std::thread([&] { program.api.CtxPushCurrent(program.context); }).join();
  program.require_violation("a thread ended with 1 contexts pushed and not popped");
}

TEST_CASE("without a driver every call reports it") {
  DriverTable table;
  {
    const FakeDriver fake;
    table = fake.table();
  }
  CHECK(table.Init(0) == code::kDeinitialized);
}

TEST_CASE("a driver without devices cannot be initialized") {
  const FakeDriver fake({.devices = 0});
  CHECK(fake.table().Init(0) == code::kNoDevice);
  int count = 9;
  CHECK(fake.table().DeviceGetCount(&count) == code::kNotInitialized);
  CHECK(count == 9);
}

// ---- Failures.

TEST_CASE("a call fails as often as requested") {
  Program program;
  program.fake.fail("MemAlloc", 1, code::kUnknown);
  Pointer memory = 0;
  CHECK(program.api.MemAlloc(&memory, 1) == code::kSuccess);
  CHECK(program.api.MemAlloc(&memory, 1) == code::kUnknown);
  CHECK(program.api.MemAlloc(&memory, 1) == code::kSuccess);
  CHECK(program.fake.calls("MemAlloc") == 3);
  CHECK(program.fake.held().device_blocks == 2);
  CHECK_THROWS_AS(program.fake.fail("cuMemAlloc", 0, 1), std::logic_error);
}

TEST_CASE("a broken context fails every call with its code and runs nothing") {
  Program program;
  const Pointer memory = program.device_memory();
  const StreamHandle stream = program.stream();
  const EventHandle event = program.event();
  CHECK(program.api.MemsetD8Async(memory, 1, kBytes, stream) == code::kSuccess);
  CHECK(program.api.EventRecord(event, stream) == code::kSuccess);
  program.fake.break_context(0, code::kLaunchFailed);
  CHECK(program.api.EventQuery(event) == code::kLaunchFailed);
  CHECK(program.api.StreamSynchronize(stream) == code::kLaunchFailed);
  CHECK(program.api.MemsetD8Async(memory, 1, kBytes, stream) == code::kLaunchFailed);
  program.fake.run_all();
  CHECK(program.value(memory) == 0xA5);
  // Released nevertheless.
  CHECK(program.api.MemFree(memory) == code::kLaunchFailed);
  CHECK(program.api.EventDestroy(event) == code::kLaunchFailed);
  CHECK(program.api.StreamDestroy(stream) == code::kLaunchFailed);
  CHECK(program.fake.held() == FakeDriver::Held{.retained = 1});
  CHECK(program.fake.violations().empty());
}

TEST_CASE("work of a broken context uses no memory") {
  Program program({.devices = 2});
  const StreamHandle stream = program.stream();
  std::byte* const source = program.pinned(1);
  CHECK(program.api.MemcpyHtoDAsync(program.device_memory(), source, kBytes, stream) ==
        code::kSuccess);
  program.fake.break_context(0, code::kLaunchFailed);
  ContextHandle other = nullptr;
  CHECK(program.api.DevicePrimaryCtxRetain(&other, 1) == code::kSuccess);
  CHECK(program.api.CtxPushCurrent(other) == code::kSuccess);
  CHECK(program.api.MemFreeHost(source) == code::kSuccess);
  CHECK(program.api.CtxPopCurrent(&other) == code::kSuccess);
  CHECK(program.fake.violations().empty());
}

TEST_CASE("work on a stream must not call the driver") {
  Program program;
  const StreamHandle stream = program.fake.stream();
  int found = 0;
  program.fake.enqueue(stream, [&] { found = program.api.EventQuery(nullptr); });
  program.fake.synchronize(stream);
  CHECK(found == 800);
  program.require_violation("EventQuery: called by work of a stream");
}

// ---- Capture.

TEST_CASE("waiting for a captured stream fails and its work is recorded") {
  Program program;
  const Pointer memory = program.device_memory();
  const StreamHandle stream = program.fake.stream(0, true);
  const EventHandle event = program.event();
  int status = -1;
  CHECK(program.api.StreamIsCapturing(stream, &status) == code::kSuccess);
  CHECK(status == hotpack::device::kCaptureNone);
  program.fake.set_capturing(stream, true);
  CHECK(program.api.StreamIsCapturing(stream, &status) == code::kSuccess);
  CHECK(status == hotpack::device::kCaptureActive);
  CHECK(program.api.StreamIsCapturing(nullptr, &status) == code::kStreamCaptureImplicit);
  CHECK(program.api.StreamSynchronize(stream) == code::kStreamCaptureUnsupported);
  CHECK(program.api.EventRecord(event, stream) == code::kSuccess);
  CHECK(program.api.EventQuery(event) == code::kStreamCaptureUnsupported);
  CHECK(program.fake.violations().empty());
  CHECK(program.api.MemsetD8Async(memory, 1, kBytes, stream) == code::kSuccess);
  program.require_violation("captured");
  program.fake.set_capturing(stream, false);
  CHECK(program.api.StreamSynchronize(stream) == code::kSuccess);
}

// ---- Kernels.

namespace {

struct Kernel {
  explicit Kernel(const Program& program) {
    REQUIRE(program.api.ModuleLoadData(&module, program.fake.kernels().at(1).bytes.data()) ==
            code::kSuccess);
    REQUIRE(program.api.ModuleGetFunction(&function, module, "hotpack_label_index_u8") ==
            code::kSuccess);
  }
  ModuleHandle module = nullptr;
  FunctionHandle function = nullptr;
};

// One row of 2×2 pixels without a sample: every label is the ignore index.
LabelArgs ignored_row(const Program& program, Pointer rows, Pointer records, Pointer out) {
  RowEntry row;
  row.record_width = row.record_height = row.width = row.height = 2;
  CHECK(program.api.MemcpyHtoDAsync(rows, &row, sizeof row, nullptr) == code::kSuccess);
  CHECK(program.api.StreamSynchronize(nullptr) == code::kSuccess);
  LabelArgs args;
  args.rows = reinterpret_cast<const RowEntry*>(static_cast<std::uintptr_t>(rows));
  args.records = reinterpret_cast<const std::uint8_t*>(static_cast<std::uintptr_t>(records));
  args.out = reinterpret_cast<void*>(static_cast<std::uintptr_t>(out));
  args.row_bytes = 4;
  args.ignore_index = 255;
  args.row_count = 1;
  args.width = args.height = 2;
  args.storage = hotpack::device::kStoredIndex;
  args.vector_bytes = 1;
  args.classes = args.channels = 3;
  return args;
}

}  // namespace

TEST_CASE("a kernel runs when its turn comes, with the arguments of the launch") {
  Program program;
  const Kernel kernel(program);
  const Pointer rows = program.device_memory();
  const Pointer records = program.device_memory();
  const Pointer out = program.device_memory(4);
  const StreamHandle stream = program.stream();
  LabelArgs args = ignored_row(program, rows, records, out);
  void* parameters[] = {&args};
  const auto launch = [&] {
    return program.api.LaunchKernel(kernel.function, 1, 1, 1, 32, 1, 1, 0, stream, parameters,
                                    nullptr);
  };
  SECTION("late") {
    CHECK(launch() == code::kSuccess);
    args = {};
    CHECK(program.value(out, 4) == 0xA5);
    CHECK(program.api.StreamSynchronize(stream) == code::kSuccess);
    CHECK(program.value(out, 4) == 255);
    CHECK(program.fake.violations().empty());
  }
  SECTION("records written over in flight") {
    CHECK(launch() == code::kSuccess);
    CHECK(program.api.MemsetD8Async(records + 1, 1, 1, program.stream()) == code::kSuccess);
    program.require_violation("races with work in flight");
  }
  SECTION("memory freed in flight") {
    CHECK(launch() == code::kSuccess);
    CHECK(program.api.MemFree(records) == code::kSuccess);
    program.require_violation("1 operations in flight");
  }
  SECTION("module unloaded in flight") {
    CHECK(launch() == code::kSuccess);
    CHECK(program.api.ModuleUnload(kernel.module) == code::kSuccess);
    program.require_violation("1 launches of its kernels are in flight");
  }
  SECTION("output too small") {
    args.row_bytes = 5;
    CHECK(launch() == code::kInvalidValue);
    program.require_violation("args.out, 5 bytes at");
  }
  SECTION("rows in memory of the host") {
    const RowEntry row;
    args.rows = &row;
    CHECK(launch() == code::kInvalidValue);
    program.require_violation("args.rows, 64 bytes at");
  }
  SECTION("a block that is too large") {
    CHECK(program.api.LaunchKernel(kernel.function, 1, 1, 1, 2048, 1, 1, 0, stream, parameters,
                                   nullptr) == code::kInvalidValue);
    program.require_violation("a grid or block that no device takes");
  }
}

TEST_CASE("a kernel must be launched on its own device") {
  Program program({.devices = 2});
  const Kernel kernel(program);
  LabelArgs args;
  void* parameters[] = {&args};
  CHECK(program.api.LaunchKernel(kernel.function, 1, 1, 1, 32, 1, 1, 0, program.fake.stream(1),
                                 parameters, nullptr) == code::kInvalidHandle);
  program.require_violation(
      "device 0 is current, the kernel is of device 0, the stream of device 1");
}

TEST_CASE("kernels are found by name") {
  Program program;
  const Kernel kernel(program);
  FunctionHandle function = nullptr;
  CHECK(program.api.ModuleGetFunction(&function, kernel.module, "hotpack_label_other") ==
        code::kNotFound);
  CHECK(program.api.ModuleGetFunction(&function, kernel.module, "hotpack_image_u8_last") ==
        code::kNotFound);  // the other module's
  CHECK(function == nullptr);
}

TEST_CASE("a malformed image of kernels is refused") {
  Program program;
  const std::byte bytes[16] = {};
  ModuleHandle module = nullptr;
  CHECK(program.api.ModuleLoadData(&module, bytes) == code::kInvalidImage);
  CHECK(module == nullptr);
}

// ---- Random schedules.

namespace {

// The order in which the operations of three streams run, if it is legal.
std::string order(std::uint64_t seed) {
  Program program({.schedule = Schedule::random, .seed = seed});
  std::string ran;
  const StreamHandle streams[] = {program.fake.stream(), program.fake.stream(),
                                  program.fake.stream()};
  std::size_t free = 0;
  std::size_t total = 0;
  for (int round = 0; round < 6; ++round) {
    for (int stream = 0; stream < 3; ++stream) {
      program.fake.enqueue(
          streams[stream],
          [&ran, letter = static_cast<char>("adg"[stream] + round % 3)] { ran += letter; });
      CHECK(program.api.MemGetInfo(&free, &total) == code::kSuccess);
    }
  }
  for (const StreamHandle stream : streams) program.fake.synchronize(stream);
  return ran;
}

std::string only(const std::string& text, const std::string& letters) {
  std::string kept;
  std::copy_if(text.begin(), text.end(), std::back_inserter(kept),
               [&](char each) { return letters.find(each) != std::string::npos; });
  return kept;
}

}  // namespace

TEST_CASE("random schedules are legal, repeat with their seed and differ by it") {
  std::vector<std::string> orders;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    orders.push_back(order(seed));
    CHECK(order(seed) == orders.back());
    CHECK(only(orders.back(), "abc") == "abcabc");
    CHECK(only(orders.back(), "def") == "defdef");
    CHECK(only(orders.back(), "ghi") == "ghighi");
  }
  std::sort(orders.begin(), orders.end());
  CHECK(std::unique(orders.begin(), orders.end()) - orders.begin() >= 10);
}

TEST_CASE("random: a missing wait shows in some schedules, a wait never fails") {
  const bool waits = GENERATE(false, true);
  int poisoned = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Program program({.schedule = Schedule::random, .seed = seed});
    const Pointer staged = program.device_memory();
    const Pointer output = program.device_memory();
    const StreamHandle copies = program.stream();
    const StreamHandle consumer = program.stream();
    const EventHandle copied = program.event();
    CHECK(program.api.MemcpyHtoDAsync(staged, program.pinned(7), kBytes, copies) == code::kSuccess);
    CHECK(program.api.EventRecord(copied, copies) == code::kSuccess);
    if (waits) CHECK(program.api.StreamWaitEvent(consumer, copied, 0) == code::kSuccess);
    CHECK(program.api.MemcpyDtoDAsync(output, staged, kBytes, consumer) == code::kSuccess);
    CHECK(program.api.StreamSynchronize(consumer) == code::kSuccess);
    poisoned += program.value(output) == 7 ? 0 : 1;
  }
  CHECK((waits ? poisoned == 0 : poisoned > 5));
}

TEST_CASE("eager: work is done when it is queued") {
  Program program({.schedule = Schedule::eager});
  const Pointer memory = program.device_memory();
  const StreamHandle stream = program.fake.stream();
  CHECK(program.api.MemsetD8Async(memory, 1, kBytes, stream) == code::kSuccess);
  CHECK(program.value(memory) == 1);
  program.fake.block(stream);
  CHECK(program.api.MemsetD8Async(memory, 2, kBytes, stream) == code::kSuccess);
  CHECK(program.value(memory) == 1);
  program.fake.unblock(stream);
  CHECK(program.value(memory) == 2);
}

TEST_CASE("streams are used by many threads at once") {
  const Schedule schedule = GENERATE(Schedule::late, Schedule::random, Schedule::eager);
  Program program({.schedule = schedule, .seed = 3});
  std::atomic<int> failures{0};
  const auto work = [&](int number) {
    const auto expect = [&](bool good) { failures += good ? 0 : 1; };
    expect(program.api.CtxPushCurrent(program.context) == code::kSuccess);
    StreamHandle stream = nullptr;
    EventHandle event = nullptr;
    Pointer memory = 0;
    expect(program.api.StreamCreate(&stream, 0) == code::kSuccess);
    expect(program.api.EventCreate(&event, 0) == code::kSuccess);
    expect(program.api.MemAlloc(&memory, kBytes) == code::kSuccess);
    for (int round = 0; round < 100; ++round) {
      expect(program.api.MemsetD8Async(memory, static_cast<unsigned char>(number), kBytes,
                                       stream) == code::kSuccess);
      expect(program.api.EventRecord(event, stream) == code::kSuccess);
      while (program.api.EventQuery(event) == code::kNotReady) std::this_thread::yield();
    }
    const auto bytes = program.fake.bytes(memory, kBytes);
    expect(bytes == std::vector<std::byte>(kBytes, static_cast<std::byte>(number)));
    expect(program.api.MemFree(memory) == code::kSuccess);
    expect(program.api.EventDestroy(event) == code::kSuccess);
    expect(program.api.StreamDestroy(stream) == code::kSuccess);
    ContextHandle popped = nullptr;
    expect(program.api.CtxPopCurrent(&popped) == code::kSuccess);
  };
  std::vector<std::thread> threads;
  for (int number = 1; number <= 4; ++number) threads.emplace_back(work, number);
  for (auto& thread : threads) thread.join();
  CHECK(failures == 0);
  CHECK(program.fake.violations().empty());
  CHECK(program.fake.held() == FakeDriver::Held{.retained = 1});
}
