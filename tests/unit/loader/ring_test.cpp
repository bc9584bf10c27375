#include "loader/ring.hpp"

#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <functional>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/own_threads.hpp"
#include "support/sanitizers.hpp"

using namespace hotpack;
using namespace hotpack::loader;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kLong{20000};  // a test that takes so long has failed

// Writes its step into each row, with delays and failures as a test requests.
class FakeFiller final : public RowFiller {
 public:
  std::function<void()> delay = [] {};
  std::function<std::optional<Error>(Cursor, std::size_t)> fail = [](Cursor, std::size_t) {
    return std::optional<Error>();
  };
  std::atomic<int> begun{0};

  // rows of a batch; 0: those that the slot was made with
  std::function<std::size_t(Cursor)> rows_of = [](Cursor) { return std::size_t{0}; };

  void begin(Slot& slot) override {
    ++begun;
    if (const std::size_t wanted = rows_of(slot.cursor); wanted > 0) slot.samples.resize(wanted);
    slot.valid = slot.samples.size();
  }
  std::optional<RowError> fill(Slot& slot, RowRange rows, unsigned) override {
    for (std::size_t row = rows.first; row < rows.last; ++row) {
      delay();
      if (auto error = fail(slot.cursor, row)) return RowError{row, std::move(*error)};
      slot.samples[row] = mark(slot.cursor, row);
    }
    return {};
  }
  static std::int64_t mark(Cursor at, std::size_t row) {
    return static_cast<std::int64_t>(at.epoch * 1000000 + at.step * 1000 + row);
  }
};

struct RingSizes {
  std::size_t rows = 1;
  std::size_t rows_per_item = 1;
  std::uint64_t steps = 1;
  unsigned threads = 1;
  std::uint64_t stride = 1;
};

struct RingUnderTest {
  FakeFiller* filler = nullptr;
  std::shared_ptr<Ring> ring;

  explicit RingUnderTest(
      RingSizes sizes, unsigned slots = 3,
      const std::function<void(FakeFiller&)>& prepare = [](FakeFiller&) {},
      RingGrowth growth = {}) {
    auto made = std::make_unique<FakeFiller>();
    prepare(*made);
    filler = made.get();
    std::vector<std::unique_ptr<Slot>> all;
    for (unsigned i = 0; i < slots; ++i) {
      all.push_back(std::make_unique<Slot>());
      all.back()->samples.resize(sizes.rows);
    }
    const RingOptions options{sizes.rows_per_item, sizes.steps, sizes.threads, sizes.stride};
    ring = std::make_shared<Ring>(options, std::move(all), std::move(made), Cursor{},
                                  std::move(growth));
    REQUIRE(ring->start().ok());
  }
  ~RingUnderTest() { ring->close(); }
  RingUnderTest(const RingUnderTest&) = delete;
  RingUnderTest& operator=(const RingUnderTest&) = delete;

  Slot* next() const {
    auto slot = ring->next(kLong);
    INFO((slot.ok() ? std::string() : slot.error().describe()));
    REQUIRE(slot.ok());
    return *slot;
  }
};

// Makes slots, at most so many in the ring.
RingGrowth growth_up_to(std::size_t most, std::size_t rows = 1) {
  return {[rows]() -> Result<std::unique_ptr<Slot>> {
            auto slot = std::make_unique<Slot>();
            slot->samples.resize(rows);
            return slot;
          },
          most};
}

constexpr std::size_t kAnyNumber = 1000;

void check_rows(const Slot& slot, Cursor at) {
  CHECK(slot.cursor == at);
  for (std::size_t row = 0; row < slot.samples.size(); ++row)
    REQUIRE(slot.samples[row] == FakeFiller::mark(at, row));
}

// The threads of this process, with that of ThreadSanitizer, which starts with the first other one.
std::size_t threads_so_far() {
  std::thread([] {}).join();
  return test::own_threads().size();
}

}  // namespace

TEST_CASE("steps come complete and in order, epoch after epoch") {
  for (const unsigned threads : {1u, 2u, 16u}) {
    const RingUnderTest t({7, 2, 5, threads});
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      for (std::uint64_t step = 0; step < 5; ++step) {
        Slot* const slot = t.next();
        REQUIRE(slot != nullptr);
        check_rows(*slot, {epoch, step});
        t.ring->release(slot);
      }
      CHECK(t.next() == nullptr);
    }
  }
}

TEST_CASE("batches may differ in their number of rows") {
  for (const unsigned threads : {1u, 3u}) {
    const RingUnderTest t({7, 2, 5, threads}, 2, [](FakeFiller& filler) {
      filler.rows_of = [](Cursor at) { return at.step == 4 ? std::size_t{3} : std::size_t{7}; };
    });
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      for (std::uint64_t step = 0; step < 5; ++step) {
        Slot* const slot = t.next();
        CHECK(slot->samples.size() == (step == 4 ? 3 : 7));
        check_rows(*slot, {epoch, step});
        t.ring->release(slot);
      }
      CHECK(t.next() == nullptr);
    }
  }
}

TEST_CASE("with a stride, steps are left out and the next epoch is not read ahead") {
  const RingUnderTest t({1, 1, 5, 2, 2}, 6);
  for (const std::uint64_t step : {0u, 2u, 4u}) {
    Slot* const slot = t.next();
    check_rows(*slot, {0, step});
    t.ring->release(slot);
  }
  CHECK(t.ring->position() == Cursor{0, 5});
  std::this_thread::sleep_for(milliseconds(30));
  CHECK(t.filler->begun == 3);
  CHECK(t.next() == nullptr);
  check_rows(*t.next(), {1, 0});
  REQUIRE(t.ring->seek({1, 5}).ok());
  CHECK(t.next() == nullptr);
  REQUIRE(t.ring->seek({7, 3}).ok());
  check_rows(*t.next(), {7, 3});
  CHECK(t.next() == nullptr);
}

TEST_CASE("threads round to nearest, however their creator rounds") {
  std::atomic<int> mode{-1};
  REQUIRE(std::fesetround(FE_UPWARD) == 0);
  const RingUnderTest t({1, 1, 1, 1}, 1, [&mode](FakeFiller& filler) {
    filler.delay = [&mode] { mode = std::fegetround(); };
  });
  std::fesetround(FE_TONEAREST);
  t.ring->release(t.next());
  CHECK(mode == FE_TONEAREST);
}

TEST_CASE("begin_epoch keeps what was read ahead, seek drops it") {
  for (const bool told : {false, true}) {
    const RingUnderTest t({2, 1, 3, 1}, 4);
    for (int step = 0; step < 3; ++step) t.ring->release(t.next());
    if (told) CHECK(t.next() == nullptr);
    while (t.filler->begun < 7) std::this_thread::yield();  // four steps ahead: every slot
    REQUIRE(t.ring->begin_epoch(1).ok());
    CHECK(t.filler->begun == 7);
    Slot* const first = t.next();
    check_rows(*first, {1, 0});
    CHECK(t.filler->begun == 7);
    REQUIRE(t.ring->seek({1, 0}).ok());
    check_rows(*t.next(), {1, 0});
    CHECK(t.filler->begun > 7);
    t.ring->release(first);
  }
}

TEST_CASE("a leased slot is not overwritten, however far threads run ahead") {
  const RingUnderTest t({4, 1, 100, 4});
  Slot* const held = t.next();
  for (std::uint64_t step = 1; step < 60; ++step) {
    Slot* const slot = t.next();
    check_rows(*slot, {0, step});
    check_rows(*held, {0, 0});
    t.ring->release(slot);
  }
  t.ring->release(held);
}

TEST_CASE("the ring begins no more batches than it has slots") {
  const RingUnderTest t({2, 1, 100, 4}, 3);
  Slot* const slot = t.next();
  std::this_thread::sleep_for(milliseconds(30));
  CHECK(t.filler->begun <= 3);
  t.ring->release(slot);
}

TEST_CASE("the ring fails while all slots are leased and then continues") {
  const RingUnderTest t({1, 1, 10, 2}, 2);
  Slot* const first = t.next();
  Slot* const second = t.next();
  const auto third = t.ring->next(milliseconds(0));
  REQUIRE_FALSE(third.ok());
  CHECK(third.error().code == ErrorCode::busy);
  CHECK(third.error().message.find("all 2 slots are leased") != std::string::npos);
  t.ring->release(first);
  Slot* const again = t.next();
  check_rows(*again, {0, 2});
  t.ring->release(again);
  t.ring->release(second);
}

TEST_CASE("a ring grows while slots are held, and shrinks when they are released") {
  const RingUnderTest t(
      {1, 1, 1000, 2}, 3, [](FakeFiller&) {}, growth_up_to(kAnyNumber));
  std::vector<Slot*> held;
  for (std::uint64_t step = 0; step < 30; ++step) {
    const auto slot = t.ring->next_to_hold(kLong);
    REQUIRE(slot.ok());
    check_rows(**slot, {0, step});
    held.push_back(*slot);
    CHECK(t.ring->leased() == step + 1);
    CHECK(t.ring->slots() == std::max<std::size_t>(3, step + 3));  // two are left to read ahead
  }
  for (std::uint64_t step = 0; step < 30; ++step) check_rows(*held[step], {0, step});
  for (Slot* const slot : held) t.ring->release(slot);
  CHECK(t.ring->leased() == 0);
  CHECK(t.ring->slots() == 3 + 8);  // those of the beginning, and spare ones
  Slot* const next = t.next();
  check_rows(*next, {0, 30});
  t.ring->release(next);
}

TEST_CASE("a ring has as many slots as before if none is held between calls") {
  const RingUnderTest t(
      {1, 1, 100, 2}, 2, [](FakeFiller&) {}, growth_up_to(kAnyNumber));
  for (std::uint64_t step = 0; step < 50; ++step) {
    const auto slot = t.ring->next_to_hold(kLong);
    REQUIRE(slot.ok());
    t.ring->release(*slot);
  }
  CHECK(t.ring->slots() == 2);
}

TEST_CASE("slots held again and again for a short time are made only once") {
  std::atomic<int> made{0};
  RingGrowth growth = growth_up_to(kAnyNumber);
  growth.make = [&made, make = growth.make] {
    ++made;
    return make();
  };
  const RingUnderTest t(
      {1, 1, 1000, 2}, 3, [](FakeFiller&) {}, std::move(growth));
  for (int round = 0; round < 20; ++round) {
    std::vector<Slot*> held;
    for (int i = 0; i < 8; ++i) held.push_back(t.ring->next_to_hold(kLong).value());
    for (Slot* const slot : held) t.ring->release(slot);
    CHECK(made == 7);
  }
}

TEST_CASE("a ring grows up to its limit and no further") {
  const RingUnderTest t(
      {1, 1, 100, 2}, 3, [](FakeFiller&) {}, growth_up_to(5));
  std::vector<Slot*> held;
  for (int i = 0; i < 5; ++i) held.push_back(t.ring->next_to_hold(kLong).value());
  CHECK(t.ring->slots() == 5);
  const auto sixth = t.ring->next_to_hold(kLong);
  REQUIRE_FALSE(sixth.ok());
  CHECK(sixth.error().code == ErrorCode::busy);
  CHECK(sixth.error().message.find("all 5 slots are leased") == 0);
  CHECK(t.ring->position() == Cursor{0, 5});
  t.ring->release(held[2]);
  check_rows(*t.ring->next_to_hold(kLong).value(), {0, 5});
  CHECK(t.ring->slots() == 5);
}

TEST_CASE("a ring continues with its slots if none can be made") {
  for (const bool throws : {false, true}) {
    CAPTURE(throws);
    const RingUnderTest t({1, 1, 100, 2}, 3, [](FakeFiller&) {},
                          {[throws]() -> Result<std::unique_ptr<Slot>> {
                             if (throws) throw std::bad_alloc();
                             return Error{ErrorCode::io, "no memory", {}, {}};
                           },
                           kAnyNumber});
    std::vector<Slot*> held;
    for (int i = 0; i < 3; ++i) held.push_back(t.ring->next_to_hold(kLong).value());
    const auto fourth = t.ring->next_to_hold(kLong);
    REQUIRE_FALSE(fourth.ok());
    CHECK(fourth.error().code == ErrorCode::io);
    CHECK(fourth.error().message ==
          std::string("all 3 slots are leased, and another one cannot be made: ") +
              (throws ? "out of memory" : "no memory") +
              "; release a batch before asking for the next one");
    CHECK(t.ring->slots() == 3);
    for (Slot* const slot : held) t.ring->release(slot);
    check_rows(*t.ring->next_to_hold(kLong).value(), {0, 3});
  }
}

TEST_CASE("seek, cancel and close work with slots that were added") {
  const RingUnderTest t(
      {1, 1, 20, 3}, 2, [](FakeFiller&) {}, growth_up_to(kAnyNumber));
  std::vector<Slot*> held;
  for (int i = 0; i < 12; ++i) held.push_back(t.ring->next_to_hold(kLong).value());
  REQUIRE(t.ring->seek({4, 7}).ok());
  Slot* const sought = t.ring->next_to_hold(kLong).value();
  check_rows(*sought, {4, 7});
  t.ring->cancel();
  const std::size_t slots = t.ring->slots();
  CHECK(t.ring->next_to_hold(kLong).error().code == ErrorCode::cancelled);
  CHECK(t.ring->slots() == slots);
  for (std::size_t i = 0; i < 6; ++i) t.ring->release(held[i]);
  REQUIRE(t.ring->seek({5, 0}).ok());
  Slot* const after = t.ring->next_to_hold(kLong).value();
  check_rows(*after, {5, 0});
  t.ring->close();
  CHECK_FALSE(t.ring->next_to_hold(kLong).ok());
  for (std::size_t i = 6; i < 12; ++i) {
    check_rows(*held[i], {0, i});
    t.ring->release(held[i]);
  }
  check_rows(*sought, {4, 7});
  t.ring->release(sought);
  t.ring->release(after);
  CHECK(t.ring->leased() == 0);
  CHECK(t.ring->slots() <= 2 + 8);
}

TEST_CASE("consumers that hold several slots each never wait for each other") {
  constexpr std::size_t kEach = 5;
  constexpr std::uint64_t kSteps = 400;
  const RingUnderTest t(
      {1, 1, kSteps, 2}, 2, [](FakeFiller&) {}, growth_up_to(kAnyNumber));
  std::mutex mutex;
  std::set<std::uint64_t> seen;
  std::atomic<int> failures{0};
  std::vector<std::thread> consumers;
  for (int i = 0; i < 4; ++i) {
    consumers.emplace_back([&] {
      std::vector<Slot*> held;
      while (true) {
        const auto slot = t.ring->next_to_hold(kLong);
        if (!slot.ok()) ++failures;
        if (!slot.ok() || *slot == nullptr) break;
        if ((*slot)->samples[0] != FakeFiller::mark((*slot)->cursor, 0)) ++failures;
        const bool over = (*slot)->cursor.epoch > 0;
        if (!over) {
          const std::lock_guard lock(mutex);
          seen.insert((*slot)->cursor.step);
        }
        held.push_back(*slot);
        if (held.size() == kEach) {
          for (Slot* const one : held) {
            if (one->samples[0] != FakeFiller::mark(one->cursor, 0)) ++failures;
            t.ring->release(one);
          }
          held.clear();
        }
        if (over) break;
      }
      for (Slot* const slot : held) t.ring->release(slot);
    });
  }
  for (std::thread& consumer : consumers) consumer.join();
  CHECK(failures == 0);
  CHECK(seen.size() == kSteps);
  CHECK(t.ring->leased() == 0);
}

TEST_CASE("the end of an epoch is reported even while all slots are leased") {
  const RingUnderTest t({1, 1, 2, 2}, 2);
  Slot* const first = t.next();
  Slot* const second = t.next();
  CHECK(t.next() == nullptr);
  t.ring->release(first);
  t.ring->release(second);
}

TEST_CASE("a late batch times out and arrives with a later call") {
  std::atomic<bool> hold{true};
  const RingUnderTest t({1, 1, 10, 1}, 2, [&](FakeFiller& filler) {
    filler.delay = [&] {
      while (hold) std::this_thread::sleep_for(milliseconds(1));
    };
  });
  const auto early = t.ring->next(milliseconds(20));
  REQUIRE_FALSE(early.ok());
  CHECK(early.error().code == ErrorCode::timeout);
  CHECK(early.error().message ==
        "step 0 of epoch 0 was not ready after 20 ms; call again, or use a longer timeout");
  hold = false;
  Slot* const slot = t.next();
  check_rows(*slot, {0, 0});
  t.ring->release(slot);
}

TEST_CASE("an error comes at its step with the lowest row, and is repeated") {
  const RingUnderTest t({6, 1, 10, 3}, 3, [](FakeFiller& filler) {
    filler.fail = [](Cursor at, std::size_t row) -> std::optional<Error> {
      if (at.step == 4 && row >= 2)
        return damaged_error("row " + std::to_string(row), "a.safetensors");
      return {};
    };
  });
  for (std::uint64_t step = 0; step < 4; ++step) t.ring->release(t.next());
  for (int call = 0; call < 3; ++call) {
    const auto failed = t.ring->next(kLong);
    REQUIRE_FALSE(failed.ok());
    CHECK(failed.error().message == "row 2 [step 4 of epoch 0; seek(0, 5) goes past it]");
    CHECK(failed.error().path == "a.safetensors");
  }
  CHECK(t.ring->position() == Cursor{0, 4});
  REQUIRE(t.ring->seek({0, 5}).ok());
  Slot* const slot = t.next();
  check_rows(*slot, {0, 5});
  t.ring->release(slot);
}

TEST_CASE("seek goes to any step of any epoch, and leaves leased batches alone") {
  const RingUnderTest t({5, 2, 8, 3}, 3);
  Slot* const held = t.next();
  for (const Cursor at : {Cursor{3, 7}, Cursor{0, 0}, Cursor{9, 4}, Cursor{2, 0}}) {
    REQUIRE(t.ring->seek(at).ok());
    CHECK(t.ring->position() == at);
    Slot* const slot = t.next();
    check_rows(*slot, at);
    t.ring->release(slot);
  }
  check_rows(*held, {0, 0});
  t.ring->release(held);
  REQUIRE(t.ring->seek({5, 8}).ok());
  CHECK(t.next() == nullptr);
  Slot* const slot = t.next();
  check_rows(*slot, {6, 0});
  t.ring->release(slot);
}

TEST_CASE("a batch that is not accepted stays in front") {
  const RingUnderTest t({2, 1, 8, 2}, 3);
  const auto refused =
      t.ring->next(kLong, [](const Slot&) { return std::optional(usage_error("too small")); });
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message == "too small");
  CHECK(t.ring->position() == Cursor{0, 0});
  Slot* const first = t.next();
  check_rows(*first, {0, 0});
  t.ring->release(first);
}

TEST_CASE("a time-out below 0 takes what is ready and waits for nothing") {
  std::atomic<bool> hold{true};
  const RingUnderTest t({1, 1, 10, 1}, 2, [&](FakeFiller& filler) {
    filler.delay = [&] {
      while (hold) std::this_thread::sleep_for(milliseconds(1));
    };
  });
  const auto early = t.ring->next(milliseconds(-5));
  REQUIRE_FALSE(early.ok());
  CHECK(early.error().code == ErrorCode::timeout);
  hold = false;
  t.ring->release(t.next());
}

TEST_CASE("the end of the last possible epoch is reported once") {
  const RingUnderTest t({1, 1, 2, 2});
  REQUIRE(t.ring->seek({kMaxEpoch, 1}).ok());
  t.ring->release(t.next());
  CHECK(t.next() == nullptr);
  CHECK(t.ring->position() == Cursor{kMaxEpoch, 2});
  const auto refused = t.ring->next(kLong);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("there is no epoch after") == 0);
  REQUIRE(t.ring->seek({0, 0}).ok());
  t.ring->release(t.next());
}

TEST_CASE("cancel wakes a waiting consumer and seek continues") {
  std::atomic<bool> hold{true};
  const RingUnderTest t({1, 1, 10, 1}, 2, [&](FakeFiller& filler) {
    filler.delay = [&] {
      while (hold) std::this_thread::sleep_for(milliseconds(1));
    };
  });
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds(20));
    t.ring->cancel();
  });
  const auto woken = t.ring->next(milliseconds(0));
  other.join();
  REQUIRE_FALSE(woken.ok());
  CHECK(woken.error().code == ErrorCode::cancelled);
  hold = false;
  CHECK_FALSE(t.ring->next(milliseconds(0)).ok());
  REQUIRE(t.ring->seek({0, 0}).ok());
  t.ring->release(t.next());
}

TEST_CASE("close in every state, twice, while another thread waits") {
  SECTION("nothing asked for") { const RingUnderTest t({1, 1, 10, 2}); }
  SECTION("in the middle, with a lease that outlives the ring's closing") {
    const RingUnderTest t({1, 1, 10, 2});
    Slot* const slot = t.next();
    t.ring->close();
    t.ring->close();
    check_rows(*slot, {0, 0});
    t.ring->release(slot);
    const auto refused = t.ring->next(kLong);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().message == "the loader is closed; open another one");
    CHECK_FALSE(t.ring->seek({0, 0}).ok());
  }
  SECTION("a consumer waits") {
    const std::size_t before = threads_so_far();
    const auto hold =
        std::make_shared<std::atomic<bool>>(true);  // the thread may outlive this section
    const RingUnderTest t({1, 1, 10, 1}, 2, [&](FakeFiller& filler) {
      filler.delay = [hold] {
        while (*hold) std::this_thread::sleep_for(milliseconds(1));
      };
    });
    std::thread other([&] {
      std::this_thread::sleep_for(milliseconds(20));
      t.ring->close(milliseconds(1));
    });
    CHECK_FALSE(t.ring->next(milliseconds(0)).ok());
    other.join();
    *hold = false;
    test::threads_settled(before);  // other tests count threads
  }
}

TEST_CASE("close leaves behind a thread that hangs, and returns") {
  const auto release = std::make_shared<std::atomic<bool>>(false);
  const std::size_t before = threads_so_far();
  {
    const RingUnderTest t({1, 1, 10, 1}, 2, [&](FakeFiller& filler) {
      filler.delay = [release] {
        while (!*release) std::this_thread::sleep_for(milliseconds(1));
      };
    });
    while (t.filler->begun == 0) std::this_thread::sleep_for(milliseconds(1));
    t.ring->close(milliseconds(10));
  }
  CHECK(test::own_threads().size() == before + 1);
  *release = true;  // lets the thread free the ring
  for (int i = 0; i < 2000 && test::own_threads().size() > before; ++i)
    std::this_thread::sleep_for(milliseconds(5));
  CHECK(test::own_threads().size() == before);
}

TEST_CASE("the child of a fork gets an error, and neither waits nor crashes") {
  const RingUnderTest t({1, 1, 10, 2});
  Slot* const slot = t.next();
  const int ended = test::status_of_child([&] {
    const auto refused = t.ring->next(milliseconds(0));
    const bool told =
        !refused.ok() && refused.error().message.find("before a fork") != std::string::npos;
    const bool no_seek = !t.ring->seek({0, 0}).ok();
    t.ring->cancel();
    t.ring->close();
    return told && no_seek && t.ring->forked();
  });
  CHECK(ended == 0);
  CHECK_FALSE(t.ring->forked());
  t.ring->release(slot);
  t.ring->release(t.next());
}

TEST_CASE("several consumers share the steps, each step once") {
  const RingUnderTest t({3, 1, 200, 2}, 6);
  std::mutex mutex;
  std::multiset<std::uint64_t> seen;
  std::vector<std::thread> consumers;
  std::atomic<int> ends{0};
  for (int i = 0; i < 4; ++i) {
    consumers.emplace_back([&] {
      while (true) {
        const auto slot = t.ring->next(kLong);
        if (!slot.ok() || *slot == nullptr || (*slot)->cursor.epoch > 0) {
          if (slot.ok() && *slot != nullptr) t.ring->release(*slot);
          if (slot.ok() && *slot == nullptr) ++ends;
          return;
        }
        {
          const std::lock_guard lock(mutex);
          seen.insert((*slot)->cursor.step);
        }
        t.ring->release(*slot);
      }
    });
  }
  for (std::thread& consumer : consumers) consumer.join();
  CHECK(ends == 1);
  CHECK(seen.size() == 200);
  CHECK(std::set<std::uint64_t>(seen.begin(), seen.end()).size() == 200);
}

// One run with random sizes, delays, leases, seeks, cancels and a random end.
namespace {

void random_run(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&random](std::uint32_t n) {
    return static_cast<std::uint32_t>(random() % n);
  };
  const RingSizes options{1 + below(5), 1 + below(3), 1 + below(6), 1 + below(4)};
  const unsigned slots = 2 + below(3);
  const std::uint32_t pauses = below(4);
  std::atomic<std::uint32_t> calls{seed};
  const bool grows = below(2) == 0;
  const std::uint32_t most_held = grows ? slots + 10 : slots - 1;
  const RingUnderTest t(
      options, slots,
      [&](FakeFiller& filler) {
        filler.delay = [&calls, pauses] {
          const std::uint32_t call = calls.fetch_add(2654435761u);
          if ((call >> 20) % 4 < pauses) std::this_thread::yield();
          if ((call >> 12) % 64 == 0 && pauses > 1)
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        };
      },
      grows ? growth_up_to(kAnyNumber, options.rows) : RingGrowth{});
  Cursor at;
  std::vector<Slot*> held;
  const auto give_back = [&](std::size_t keep) {
    while (held.size() > keep) {
      const std::size_t which = below(static_cast<std::uint32_t>(held.size()));
      t.ring->release(held[which]);
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
    }
  };
  for (std::uint32_t action = 0, actions = below(30); action < actions; ++action) {
    const std::uint32_t kind = below(12);
    if (kind == 0) {
      at = {below(3), below(static_cast<std::uint32_t>(options.steps) + 1)};
      REQUIRE(t.ring->seek(at).ok());
    } else if (kind == 1) {
      t.ring->cancel();
      REQUIRE_FALSE(t.ring->next(milliseconds(0)).ok());
      REQUIRE(t.ring->seek(at).ok());
    } else {
      give_back(below(most_held + 1));
      Slot* const slot = t.ring->next_to_hold(kLong).value();
      if (at.step == options.steps) {
        REQUIRE(slot == nullptr);
        at = {at.epoch + 1, 0};
        continue;
      }
      REQUIRE(slot != nullptr);
      check_rows(*slot, at);
      held.push_back(slot);
      ++at.step;
    }
  }
  if (below(2) == 0) t.ring->close();
  give_back(0);
}

}  // namespace

TEST_CASE("10,000 random schedules: order, contents, seek, cancel and close hold") {
  for (std::size_t seed = 0; seed < 10000; seed += test::every(5))
    random_run(static_cast<std::uint32_t>(seed));
}
