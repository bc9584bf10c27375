#include "device/late_free.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <string>
#include <thread>
#include <utility>

#include "support/catch.hpp"
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

// The tests say when something is freed, but for those of the reaper.
[[maybe_unused]] const bool kReaperRests = (let_reaper_work(false), true);

// A driver with streams whose work is held up, and an event on each.
struct Busy {
  explicit Busy(FakeDriver& fake) : driver(fake), context(Context::retain(fake.driver(), 0).value()), stream(fake.stream()) {
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

TEST_CASE("what no event guards is freed by a sweep and not by the caller") {
  FakeDriver fake;
  const Busy busy(fake);
  free_late(busy.memory(), {});
  CHECK(fake.held().device_blocks == 1);
  CHECK(late_count() == 1);
  sweep_late();
  CHECK(fake.held().device_blocks == 0);
  CHECK(late_count() == 0);
}

TEST_CASE("what a stream still uses is freed by a later call without a wait") {
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

TEST_CASE("every event has to be over") {
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

TEST_CASE("what is over does not wait for what was given before it") {
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

TEST_CASE("a context that has failed lets go of what it guards") {
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

TEST_CASE("a driver that is gone lets go of what it guards") {
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

TEST_CASE("a destructor of what is held may use the list") {
  FakeDriver fake;
  const Busy busy(fake);
  std::size_t seen = 99;
  // Takes the list's lock twice; would never end if it were held.
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

// ---------------------------------------------------------------------------------------------------- the reaper

struct ReaperWorks {
  ReaperWorks() { let_reaper_work(true); }
  ~ReaperWorks() { let_reaper_work(false); }
};

bool all_freed_soon() {
  for (int i = 0; i < 5000 && late_count() != 0; ++i) std::this_thread::sleep_for(milliseconds(1));
  return late_count() == 0;
}

// Of a thread of this process, by its name; empty where there is none.
std::string blocked_signals_of(const std::string& thread) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name, word;
    std::ifstream(task.path() / "comm") >> name;
    if (name != thread) continue;
    std::ifstream status(task.path() / "status");
    while (status >> word && word != "SigBlk:") continue;
    status >> word;
    return word;
  }
  return {};
}

TEST_CASE("the reaper frees what is over and nobody calls for it") {
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

TEST_CASE("the reaper frees on a thread of its own that gets no signals and what it frees is counted until then") {
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
  const std::string blocked = blocked_signals_of("hotpack/reaper");
  REQUIRE_FALSE(blocked.empty());
  CHECK((std::stoull(blocked, nullptr, 16) & (1ULL << (SIGTERM - 1))) != 0);
  go_on.set_value();
  CHECK(all_freed_soon());
}

TEST_CASE("a sweep returns once the reaper has freed what it has in hand") {
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

TEST_CASE("the child of a fork has a list of its own and leaves the parent's alone") {
  FakeDriver fake;
  const Busy busy(fake);
  free_late(busy.memory(), {});
  std::cout.flush();
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    sweep_late();
    if (late_count() != 0 || fake.held().device_blocks != 1) ::_exit(1);
    free_late(busy.memory(), {});
    if (late_count() != 1) ::_exit(2);
    sweep_late();
    ::_exit(late_count() == 0 && fake.held().device_blocks == 1 ? 0 : 3);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(late_count() == 1);
  sweep_late();
  CHECK(fake.held().device_blocks == 0);
}

TEST_CASE("at exit the reaper stops before the driver ends") {
  if (!kThreadsAfterFork) return;
  std::cout.flush();
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    static FakeDriver* fake = nullptr;
    static std::uint64_t calls = 0;
    fake = new FakeDriver;
    // Registered before the reaper starts, as the driver's own are: it runs after that has stopped.
    (void)std::atexit([] {
      calls = fake->calls("EventQuery");
      std::this_thread::sleep_for(milliseconds(100));
      ::_exit(fake->calls("EventQuery") == calls && calls > 0 ? 0 : 9);  // what comes later would look for leaks of the parent
    });
    let_reaper_work(true);
    const auto* const busy = new Busy(*fake);
    free_late(busy->memory(), events_of(busy->event()));
    while (fake->calls("EventQuery") < 3) std::this_thread::sleep_for(milliseconds(1));
    std::exit(8);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace hotpack::device
