#include "device/late_free.hpp"

#include <thread>
#include <utility>

#include "support/catch.hpp"
#include "support/fake_cuda/fake_driver.hpp"

namespace hotpack::device {
namespace {

using test::FakeDriver;

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

TEST_CASE("what no event guards is freed at once") {
  FakeDriver fake;
  const Busy busy(fake);
  free_late(busy.memory(), {});
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

TEST_CASE("freeing something else sweeps too") {
  FakeDriver fake;
  const Busy busy(fake);
  free_late(busy.memory(), events_of(busy.event()));
  busy.finish();
  free_late(busy.memory(), {});
  CHECK(fake.held().device_blocks == 0);
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
  });
  free_late(std::move(held), {});
  CHECK(seen == 0);
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

}  // namespace
}  // namespace hotpack::device
