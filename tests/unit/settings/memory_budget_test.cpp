#include "settings/memory_budget.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr int kThreads = 4;

// Takes Rooms of these sizes on many threads. Returns the most bytes that were taken at once.
std::uint64_t most_at_once(MemoryBudget& budget, const std::vector<std::uint64_t>& sizes) {
  std::atomic<std::uint64_t> taken = 0, most = 0;
  const auto work = [&](std::size_t first) {
    for (std::size_t i = 0; i < 50 * sizes.size(); ++i) {
      const std::uint64_t size = sizes[(first + i) % sizes.size()];
      const auto room = budget.take(size, "a.png");
      if (!room.ok()) return;
      const std::uint64_t now = taken += size;
      for (std::uint64_t seen = most; seen < now && !most.compare_exchange_weak(seen, now);)
        continue;
      for (int turn = 0; turn < 20; ++turn) std::this_thread::yield();
      taken -= size;
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  return most;
}

}  // namespace

TEST_CASE("large images are decoded one at a time if only one fits") {
  MemoryBudget budget(4000, kThreads);
  CHECK(most_at_once(budget, {1501}) == 1501);
}

TEST_CASE("images of many sizes never exceed their share together") {
  MemoryBudget budget(4000, kThreads);
  CHECK(most_at_once(budget, {300, 2999, 800, 1700, 3000}) <= 3000);
}

TEST_CASE("small images never wait") {
  MemoryBudget budget(4000, kThreads);
  const auto all = budget.take(3000, "a.png");
  REQUIRE(all.ok());
  CHECK(all->large());
  const auto small = budget.take(250, "b.png");
  REQUIRE(small.ok());
  CHECK_FALSE(small->large());
}

TEST_CASE("a Room that was moved is left once") {
  MemoryBudget budget(4000, kThreads);
  auto first = budget.take(2000, "a.png");
  REQUIRE(first.ok());
  MemoryBudget::Room moved = std::move(first).value();
  moved = MemoryBudget::Room();
  const auto next = budget.take(3000, "b.png");  // would wait forever if the room were not free
  CHECK(next.ok());
}

TEST_CASE("an image that can never fit is refused with the size that suffices") {
  MemoryBudget budget(400 * kMiB, kThreads);
  CHECK(budget.take(300 * kMiB, "a.png").ok());
  const auto refused = budget.take(300 * kMiB + 1, "a.png");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::io);
  CHECK(refused.error().message ==
        "a.png: decoding this image takes about 301 MiB of memory, and one image may take 300 MiB, "
        "three quarters of --max-memory 400 MiB. Give --max-memory 401MiB if there is so much, or "
        "leave such images out with a smaller --max-pixels and --on-error skip");
  MemoryBudget larger(401 * kMiB, kThreads);
  CHECK(larger.take(300 * kMiB + 1, "a.png").ok());
}

TEST_CASE("by default one large image may have all memory, and several half") {
  const bool of_cgroup = GENERATE(false, true);
  MemoryBudget budget({}, kThreads, {1000 * kMiB, of_cgroup});
  CHECK(budget.take(1000 * kMiB, "a.png").ok());
  CHECK(most_at_once(budget, {200 * kMiB}) == 200 * kMiB);
  const auto refused = budget.take(1000 * kMiB + 1, "a.png");
  REQUIRE_FALSE(refused.ok());
  CHECK_THAT(refused.error().message, ContainsSubstring("the process may use 1,000 MiB"));
  CHECK_THAT(budget.notice().value(),
             ContainsSubstring(of_cgroup ? "half of what the cgroup's memory limit leaves"
                                         : "half of the available memory"));
}

TEST_CASE("the default limit is 256 MiB if no memory seems to be left") {
  MemoryBudget budget({}, kThreads, {0, true});
  CHECK(budget.take(256 * kMiB, "a.png").ok());
  const auto refused = budget.take(256 * kMiB + 1, "a.png");
  REQUIRE_FALSE(refused.ok());
  CHECK_THAT(refused.error().message, ContainsSubstring("the process may use 256 MiB"));
  CHECK(budget.take(256 * kMiB, "a.png").ok());
  CHECK_THAT(budget.notice().value(),
             ContainsSubstring("(--max-memory 256 MiB, by default at least this much)"));
}

TEST_CASE("a notice tells how many large images were decoded at once") {
  MemoryBudget budget(400 * kMiB, kThreads);
  const auto take = [&](std::uint64_t bytes) { CHECK(budget.take(bytes, "a.png").ok()); };
  for (int i = 0; i < 9; ++i) take(75 * kMiB);
  take(140 * kMiB);
  CHECK_FALSE(budget.notice().has_value());  // a single image had no other to wait for
  take(100 * kMiB);
  CHECK(budget.notice().value() ==
        "large images were decoded fewer at once than -j 4 allows: the largest takes about 140 MiB "
        "of memory, so 2 of its size at once (--max-memory 400 MiB)");

  MemoryBudget of_one(400 * kMiB, 1);
  CHECK(of_one.take(300 * kMiB, "a.png").ok());
  CHECK(of_one.take(300 * kMiB, "a.png").ok());
  CHECK_FALSE(of_one.notice().has_value());
}
