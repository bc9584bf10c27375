#include "device/late_free.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "device_runs.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/fake_cuda/fake_driver.hpp"

namespace hotpack::device {
namespace {

using std::chrono::milliseconds;
using test::FakeDriver;

#if defined(__SANITIZE_THREAD__)
constexpr bool kThreadsAfterFork = false;  // which the sanitizer does not allow
#else
constexpr bool kThreadsAfterFork = true;
#endif

// A driver with blocked streams, and an event on each.
struct Busy {
  explicit Busy(FakeDriver& fake)
      : driver(fake), context(Context::retain(fake.driver(), 0).value()), stream(fake.stream()) {
    fake.block(stream);
  }
  Event event() const {
    const CurrentContext current(*context);
    auto made = Event::create(context).value();
    REQUIRE(made.record(stream).ok());
    return made;
  }
  std::shared_ptr<void> memory(std::uint64_t bytes = 100) const {
    return std::make_shared<DeviceMemory>(DeviceMemory::take(context, bytes).value());
  }
  void finish() const {
    driver.unblock(stream);
    driver.synchronize(stream);
  }
  FakeDriver& driver;
  std::shared_ptr<const Context> context;
  StreamHandle stream;
};

std::vector<Event> events_of(Event event) {
  std::vector<Event> events;
  events.push_back(std::move(event));
  return events;
}

TEST_CASE("memory without events is freed by a sweep, not by the caller") {
  FakeDriver fake;
  const Busy busy(fake);
  free_late(busy.memory(), {});
  CHECK(fake.held().device_blocks == 1);
  CHECK(late_count() == 1);
  sweep_late();
  CHECK(fake.held().device_blocks == 0);
  CHECK(late_count() == 0);
}

TEST_CASE("memory that a stream uses is freed later without a wait") {
  FakeDriver fake;
  const Busy busy(fake);
  free_late(busy.memory(), events_of(busy.event()));
  CHECK(late_count() == 1);
  sweep_late();
  CHECK(fake.held().device_blocks == 1);
  busy.finish();
  CHECK(fake.held().device_blocks == 1);
  sweep_late();
  CHECK(fake.held().device_blocks == 0);
  CHECK(fake.held().events == 0);
  CHECK(late_count() == 0);
  CHECK(fake.calls("EventSynchronize") + fake.calls("StreamSynchronize") == 0);
  CHECK(fake.violations().empty());
}

TEST_CASE("memory is freed after all its events") {
  FakeDriver fake;
  const Busy first(fake);
  const Busy second(fake);
  for (const bool first_is_first : {true, false}) {
    CAPTURE(first_is_first);
    std::vector<Event> events = events_of(first_is_first ? first.event() : second.event());
    events.push_back(first_is_first ? second.event() : first.event());
    free_late(first.memory(), std::move(events));
  }
  first.finish();
  sweep_late();
  CHECK(fake.held().device_blocks == 2);
  CHECK(late_count() == 2);
  second.finish();
  sweep_late();
  CHECK(fake.held().device_blocks == 0);
  CHECK(fake.violations().empty());
}

TEST_CASE("a complete entry does not wait for earlier ones") {
  FakeDriver fake;
  const Busy slow(fake);
  const Busy quick(fake);
  free_late(slow.memory(1000), events_of(slow.event()));
  free_late(quick.memory(10), events_of(quick.event()));
  quick.finish();
  sweep_late();
  CHECK(fake.held().device_bytes == 1000);
  slow.finish();
  sweep_late();
  CHECK(fake.held().device_blocks == 0);
}

TEST_CASE("a failed context releases its entries") {
  FakeDriver fake;
  const Busy busy(fake);
  const std::weak_ptr<const Context> context = busy.context;
  std::weak_ptr<void> held;
  {
    auto memory = busy.memory();
    held = memory;
    free_late(std::move(memory), events_of(busy.event()));
  }
  CHECK(!held.expired());
  fake.break_context(0, code::kIllegalAddress);
  sweep_late();
  CHECK(held.expired());
  CHECK(late_count() == 0);
}

TEST_CASE("a driver that is gone releases its entries") {
  auto fake = std::make_unique<FakeDriver>();
  std::weak_ptr<void> held;
  {
    const Busy busy(*fake);
    auto memory = busy.memory();
    held = memory;
    free_late(std::move(memory), events_of(busy.event()));
  }
  fake.reset();
  sweep_late();
  CHECK(held.expired());
  CHECK(late_count() == 0);
}

TEST_CASE("a destructor of a held object may use the list") {
  FakeDriver fake;
  const Busy busy(fake);
  std::size_t seen = 99;
  // Takes the list's lock twice; would never return if it were held.
  auto held = std::shared_ptr<void>(nullptr, [&](void* /*nothing*/) {
    seen = late_count();
    free_late(busy.memory(), {});
    sweep_late();
  });
  free_late(std::move(held), {});
  sweep_late();
  CHECK(seen == 1);  // itself
  CHECK(late_count() == 0);
  CHECK(fake.held().device_blocks == 0);
}

TEST_CASE("threads free at the same time and nothing is lost") {
  FakeDriver fake;
  const Busy busy(fake);
  constexpr int kThreads = 4, kEach = 25;
  std::vector<std::vector<std::pair<std::shared_ptr<void>, std::vector<Event>>>> work(kThreads);
  for (auto& items : work) {
    for (int i = 0; i < kEach; ++i) items.emplace_back(busy.memory(), events_of(busy.event()));
  }
  std::vector<std::thread> threads;
  for (auto& items : work) {
    threads.emplace_back([&items] {
      for (auto& [held, events] : items) free_late(std::move(held), std::move(events));
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(late_count() == kThreads * kEach);
  busy.finish();
  sweep_late();
  CHECK(late_count() == 0);
  CHECK(fake.held().device_blocks == 0);
  CHECK(fake.held().events == 0);
  CHECK(fake.violations().empty());
}

// ----------------------------------------------------------------------------------------------------
// the reaper

struct ReaperWorks {
  ReaperWorks() { let_reaper_work(true); }
  ~ReaperWorks() { let_reaper_work(false); }
};

bool all_freed_soon() {
  for (int i = 0; i < 5000 && late_count() != 0; ++i) std::this_thread::sleep_for(milliseconds(1));
  return late_count() == 0;
}

TEST_CASE("the reaper frees complete entries without a request") {
  FakeDriver fake;
  const Busy busy(fake), other(fake);
  const ReaperWorks works;
  for (int round = 0; round < 3; ++round) {  // it sleeps in between
    free_late(busy.memory(), {});
    REQUIRE(all_freed_soon());
    REQUIRE(fake.held().device_blocks == 0);
  }
  free_late(busy.memory(1000), events_of(busy.event()));
  free_late(other.memory(10), events_of(other.event()));
  other.finish();
  for (int i = 0; i < 5000 && late_count() != 1; ++i) std::this_thread::sleep_for(milliseconds(1));
  CHECK(late_count() == 1);
  CHECK(fake.held().device_bytes == 1000);
  busy.finish();
  CHECK(all_freed_soon());
  CHECK(fake.held().device_blocks == 0);
  CHECK(fake.held().events == 0);
  CHECK(fake.violations().empty());
}

TEST_CASE("the reaper frees on its own signal-free thread and counts until then") {
  const ReaperWorks works;
  std::promise<std::thread::id> begun;
  std::promise<void> go_on;
  free_late(std::shared_ptr<void>(nullptr,
                                  [&](void* /*nothing*/) {
                                    begun.set_value(std::this_thread::get_id());
                                    go_on.get_future().wait();
                                  }),
            {});
  CHECK(begun.get_future().get() != std::this_thread::get_id());
  CHECK(late_count() == 1);
  const auto blocked = test::blocked_signals_of("hotpack/reaper");
  REQUIRE(blocked);
  CHECK((*blocked & (1ULL << (SIGTERM - 1))) != 0);
  go_on.set_value();
  CHECK(all_freed_soon());
}

TEST_CASE("a sweep waits for the reaper's current entries") {
  const ReaperWorks works;
  for (int i = 0; i < 300; ++i) {
    std::atomic<bool> freed{false};
    free_late(std::shared_ptr<void>(nullptr,
                                    [&](void* /*nothing*/) {
                                      std::this_thread::yield();
                                      freed = true;
                                    }),
              {});
    if (i % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(i));
    sweep_late();
    REQUIRE(freed);
    REQUIRE(late_count() == 0);
  }
}

TEST_CASE("a forked child has its own list and leaves the parent's alone") {
  FakeDriver fake;
  const Busy busy(fake);
  free_late(busy.memory(), {});
  const int ended = test::status_of_child([&]() -> bool {
    sweep_late();
    if (late_count() != 0 || fake.held().device_blocks != 1) ::_exit(1);
    free_late(busy.memory(), {});
    if (late_count() != 1) ::_exit(2);
    sweep_late();
    ::_exit(late_count() == 0 && fake.held().device_blocks == 1 ? 0 : 3);
  });
  CHECK(ended == 0);
  CHECK(late_count() == 1);
  sweep_late();
  CHECK(fake.held().device_blocks == 0);
}

TEST_CASE("at exit the reaper stops before the driver ends") {
  if (!kThreadsAfterFork) return;
  const int ended = test::status_of_child([&]() -> bool {
    static FakeDriver* fake = nullptr;
    static std::uint64_t calls = 0;
    fake = new FakeDriver;
    // Registered before the reaper starts, as the driver's own are: it runs after that has stopped.
    (void)std::atexit([] {
      calls = fake->calls("EventQuery");
      std::this_thread::sleep_for(milliseconds(100));
      ::_exit(fake->calls("EventQuery") == calls && calls > 0
                  ? 0
                  : 9);  // what comes later would look for leaks of the parent
    });
    let_reaper_work(true);
    const auto* const busy = new Busy(*fake);
    free_late(busy->memory(), events_of(busy->event()));
    while (fake->calls("EventQuery") < 3) std::this_thread::sleep_for(milliseconds(1));
    std::exit(8);
  });
  CHECK(ended == 0);
}

TEST_CASE("a reaper stuck in the driver delays exit only briefly") {
  if (!kThreadsAfterFork) return;
  const int ended = test::status_of_child([&]() -> bool {
    static std::chrono::steady_clock::time_point begin;
    (void)std::atexit([] {
      ::_exit(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5) ? 0 : 9);
    });
    auto* const fake = new FakeDriver({.frees_wait = true});
    let_reaper_work(true);
    const auto* const busy = new Busy(*fake);
    free_late(busy->memory(), {});
    while (fake->calls("MemFree") == 0) std::this_thread::sleep_for(milliseconds(1));
    begin = std::chrono::steady_clock::now();
    std::exit(8);
  });
  CHECK(ended == 0);
}

TEST_CASE("callers that lack memory free entries if there is no reaper") {
  constexpr std::uint64_t kAll = std::uint64_t{1} << 20, kMost = kAll / 4 * 3;
  FakeDriver fake({.device_bytes = kAll});
  const auto context = Context::retain(fake.driver(), 0).value();
  free_late(std::make_shared<DeviceMemory>(DeviceMemory::take(context, kMost).value()), {});
  CHECK(late_count() == 1);
  const auto more = DeviceMemory::take(context, kMost);
  CHECK(more.ok());
  CHECK(late_count() == 0);
}

// ----------------------------------------------------------------------------------------------------
// whom the driver keeps waiting

template <class Act>
double seconds_of(const Act& act) {
  const auto begin = std::chrono::steady_clock::now();
  act();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST_CASE("memory that a capture protects is retried once per sweep") {
  FakeDriver fake;
  const Busy busy(fake);
  for (std::uint64_t refusals = 0; refusals < 3; ++refusals)
    fake.fail("MemFree", refusals, code::kStreamCaptureUnsupported);
  { const auto memory = busy.memory(); }
  CHECK(fake.calls("MemFree") == 1);
  for (std::uint64_t calls = 2; calls <= 4; ++calls) {
    CHECK(fake.held().device_blocks == 1);
    CHECK(late_count() == 1);
    sweep_late();
    CHECK(fake.calls("MemFree") == calls);
  }
  CHECK(fake.held().device_blocks == 0);
  CHECK(late_count() == 0);
}

TEST_CASE("the reaper keeps trying what a capture protects") {
  FakeDriver fake;
  const Busy busy(fake);
  const ReaperWorks works;
  for (std::uint64_t refusals = 0; refusals < 5; ++refusals)
    fake.fail("MemFree", refusals, code::kCapturedEvent);
  { const auto memory = busy.memory(); }
  CHECK(all_freed_soon());
  CHECK(fake.calls("MemFree") == 6);
  CHECK(fake.held().device_blocks == 0);
}

TEST_CASE("a thread that frees late does not free anything itself") {
  FakeDriver fake;
  const Busy busy(fake);
  {
    const FreesLate late;
    { const auto memory = busy.memory(); }
    { const auto pinned = PinnedMemory::take(busy.context, 100).value(); }
    { const auto modules = KernelModules::load(busy.context, fake.kernels()).value(); }
    std::thread([&] { const auto memory = busy.memory(10); }).join();  // another one does
    CHECK(fake.calls("MemFree") == 1);
    CHECK(fake.calls("MemFreeHost") + fake.calls("ModuleUnload") == 0);
    CHECK(late_count() == 4);
    settle_late(milliseconds(0));  // without a reaper, on this thread
    CHECK(late_count() == 0);
  }
  CHECK(fake.held().device_blocks + fake.held().pinned_blocks + fake.held().modules == 0);
}

TEST_CASE("settling waits for a blocked reaper only up to its patience") {
  FakeDriver fake({.frees_wait = true});
  const Busy busy(fake);
  const ReaperWorks works;
  free_late(busy.memory(), {});
  const double took = seconds_of([] { settle_late(milliseconds(100)); });
  CHECK(took >= 0.09);
  CHECK(took < 5);
  CHECK(late_count() == 1);
  busy.finish();
  settle_late(std::chrono::seconds(10));
  CHECK(late_count() == 0);
  CHECK(fake.held().device_blocks == 0);
  CHECK(fake.violations().empty());
}

TEST_CASE("settling does not wait for memory that streams use") {
  FakeDriver fake;
  const Busy busy(fake);
  const ReaperWorks works;
  free_late(busy.memory(1000), events_of(busy.event()));
  free_late(busy.memory(10), {});
  CHECK(seconds_of([] { settle_late(std::chrono::seconds(20)); }) < 5);
  CHECK(fake.held().device_bytes == 1000);
  busy.finish();
  CHECK(all_freed_soon());
}

TEST_CASE("waiting for memory ends with its streams and is not repeated") {
  FakeDriver fake;
  const Busy busy(fake);
  const ReaperWorks works;
  free_late(busy.memory(), events_of(busy.event()));
  CHECK(seconds_of([] { drain_late(milliseconds(200)); }) >= 0.19);
  CHECK(seconds_of([] { drain_late(std::chrono::seconds(20)); }) < 5);
  free_late(busy.memory(), {});  // something else
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds(50));
    busy.finish();
  });
  drain_late(std::chrono::seconds(20));
  CHECK(late_count() == 0);
  other.join();
}

TEST_CASE("allocation waits for memory of closed loaders and reports failure") {
  FakeDriver fake({.device_bytes = 1000, .pinned_bytes = 1000});
  const Busy busy(fake);
  const auto pinned = std::make_shared<PinnedMemory>(PinnedMemory::take(busy.context, 800).value());
  {
    free_late(busy.memory(800), events_of(busy.event()));
    const auto refused = DeviceMemory::take(busy.context, 500);
    REQUIRE_FALSE(refused.ok());
    CHECK_THAT(refused.error().message,
               ContainsSubstring("cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY") &&
                   ContainsSubstring("memory that is being released is not free yet") &&
                   ContainsSubstring("(1 block)"));
    CHECK_THAT(PinnedMemory::take(busy.context, 500).error().message,
               ContainsSubstring("(1 block)"));
  }
  const ReaperWorks works;
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds(50));
    busy.finish();
  });
  CHECK(DeviceMemory::take(busy.context, 500).ok());
  other.join();
  CHECK(fake.violations().empty());
}

// The threads that free memory or unload modules; plain function pointers have no other place to
// note them.
struct Freeing {
  DriverTable real;
  std::mutex mutex;
  std::set<std::thread::id> threads;
  void note() {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  }
};
Freeing* freeing = nullptr;

DriverTable noting_table(const FakeDriver& fake, Freeing& notes) {
  freeing = &notes;
  DriverTable table = notes.real = fake.table();
  table.MemFree = [](Pointer memory) {
    freeing->note();
    return freeing->real.MemFree(memory);
  };
  table.MemFreeHost = [](void* memory) {
    freeing->note();
    return freeing->real.MemFreeHost(memory);
  };
  table.ModuleUnload = [](ModuleHandle module) {
    freeing->note();
    return freeing->real.ModuleUnload(module);
  };
  return table;
}

// Loaders whose last owner is the caller, a lease, or nobody because they did not open.
TEST_CASE("close and destructor and open never wait for streams to free memory") {
  const test::TinyPack pack(test::square_form(), 24, 4);
  const Dataset dataset = pack.open();
  FakeDriver fake({.frees_wait = true});
  Freeing notes;
  const DriverTable table = noting_table(fake, notes);
  const ReaperWorks works;
  const test::Streams streams{fake.stream()}, others{fake.stream()};
  const auto quick = [&](const char* what, const auto& act) {
    INFO(what);
    CHECK(seconds_of(act) < 5);
  };
  for (const Residency residency : {Residency::page, Residency::device}) {
    const auto options = test::device_options(test::small_batches(4), {0}, residency);
    auto first = std::make_unique<DeviceLoader>(test::open_on(table, fake, dataset, options));
    fake.block(streams[0]);
    std::optional<DeviceBatch> lease = test::next_batch(*first, streams);
    quick("close", [&] { first->close(); });
    quick("destructor", [&] { first.reset(); });
    std::optional<DeviceLoader> second;
    quick("open", [&] { second = test::open_on(table, fake, dataset, options); });
    { const DeviceBatch batch = test::next_batch(*second, others); }
    quick("release", [&] { lease.reset(); });
    quick("destructor without close", [&] { second.reset(); });
    auto refused = options;
    refused.loader.resume = LoaderState{};
    quick("refused opening", [&] {
      CHECK_FALSE(
          open_device_loader(dataset, refused, Driver::make(table).value(), fake.kernels()).ok());
    });
    fake.fail("EventCreate", 2, code::kUnknown);
    quick("opening that fails", [&] {
      CHECK_FALSE(
          open_device_loader(dataset, options, Driver::make(table).value(), fake.kernels()).ok());
    });
    fake.unblock(streams[0]);
    fake.run_all();
    REQUIRE(all_freed_soon());
    CHECK(fake.held() == FakeDriver::Held());
  }
  CHECK(notes.threads.count(std::this_thread::get_id()) == 0);
  CHECK(notes.threads.size() == 1);  // the reaper
  CHECK(fake.violations() == std::vector<std::string>());
}

TEST_CASE("open waits for memory of a closed loader if it lacks memory") {
  const test::TinyPack pack(test::square_form(), 24, 4);
  const Dataset dataset = pack.open();
  const auto options = [] {
    auto chosen = test::device_options(test::small_batches(4));
    chosen.device_budget_bytes = 1 << 20;
    return chosen;
  }();
  const std::uint64_t enough = [&] {
    const FakeDriver fake;
    return test::open_on(fake, dataset, options).statistics().device_bytes.at(0);
  }();
  FakeDriver fake({.device_bytes = enough + enough / 2, .frees_wait = true});
  const ReaperWorks works;
  const StreamHandle stream = fake.stream();
  {
    DeviceLoader first = test::open_on(fake, dataset, options);
    fake.block(stream);
    { const DeviceBatch batch = test::next_batch(first, {stream}); }
  }
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds(300));
    fake.unblock(stream);
  });
  {
    const auto second = open_device_loader(dataset, options, fake.driver(), fake.kernels());
    CHECK(second.ok());
    if (!second.ok()) CHECK(second.error().describe() == "");
  }
  other.join();
  fake.run_all();
  CHECK(all_freed_soon());
  CHECK(fake.violations() == std::vector<std::string>());
}

TEST_CASE("a default budget waits for memory of a closed loader") {
  const test::TinyPack pack(test::square_form(), 24, 4);
  const Dataset dataset = pack.open();
  auto options = test::device_options(test::small_batches(4));
  options.residency = Residency::device;
  const std::uint64_t enough = [&] {
    const FakeDriver fake;
    return test::open_on(fake, dataset, options).statistics().device_bytes.at(0);
  }();
  // Half of it is enough for one loader; half of the rest is not.
  FakeDriver fake({.device_bytes = enough / 2 * 5, .frees_wait = true});
  const ReaperWorks works;
  const StreamHandle stream = fake.stream();
  for (const Residency asked : {Residency::device, Residency::automatic}) {
    {
      DeviceLoader first = test::open_on(fake, dataset, options);
      fake.block(stream);
      { const DeviceBatch batch = test::next_batch(first, {stream}); }
    }
    std::thread other([&] {
      std::this_thread::sleep_for(milliseconds(300));
      fake.unblock(stream);
    });
    options.residency = asked;
    {
      const auto second = open_device_loader(dataset, options, fake.driver(), fake.kernels());
      CHECK((second.ok() ? second->residency().residency == Residency::device
                         : second.error().describe() == ""));
    }
    other.join();
    fake.run_all();
    CHECK(all_freed_soon());
  }
  CHECK(fake.violations() == std::vector<std::string>());
}

// ----------------------------------------------------------------------------------------------------
// exit

// True if the threads of loaders are gone, or end within a second: on a busy machine one that was
// told to end may need a moment more.
bool loader_threads_end() {
  const auto there = [] {
    return test::threads_named("hotpack/feeder").size() + test::threads_named("hotpack/0").size() +
           test::threads_named("hotpack/1").size();
  };
  for (int i = 0; i < 1000 && there() > 0; ++i) std::this_thread::sleep_for(milliseconds(1));
  return there() == 0;
}

// How a child ends that exits in the middle of an epoch: 0 if no thread of the loader existed at
// the driver's own end.
int status_of_exit(const test::TinyPack& pack, std::uint64_t steps) {
  return test::status_of_child([&]() -> bool {
    static FakeDriver* fake = nullptr;
    fake = new FakeDriver;
    // The driver's end: it removes memory that threads might be writing to.
    (void)std::atexit([] {
      const bool ended = loader_threads_end();
      delete fake;
      ::_exit(ended ? 0 : 9);
    });
    // destroyed before that, and after what loaders register
    static std::optional<DeviceLoader> loader;
    loader = test::open_on(*fake, pack.open(), test::device_options(test::small_batches(4)));
    new std::optional<DeviceLoader>(std::move(loader));  // never destroyed
    auto* const open = new DeviceLoader(
        test::open_on(*fake, pack.open(), test::device_options(test::small_batches(4))));
    const test::Streams streams{fake->stream()};
    for (std::uint64_t step = 0; step < steps; ++step) test::next_batch(*open, streams).release();
    std::exit(8);
  });
}

TEST_CASE("exit during an epoch stops loader threads before the driver ends") {
  if (!kThreadsAfterFork) return;
  const test::TinyPack pack(test::square_form(), 24, 4);
  for (std::uint64_t round = 0; round < 200; ++round) {
    CAPTURE(round);
    REQUIRE(status_of_exit(pack, round % 7) == 0);
  }
}

}  // namespace
}  // namespace hotpack::device
