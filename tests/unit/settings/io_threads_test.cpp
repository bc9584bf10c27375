#include "settings/io_threads.hpp"

#include <atomic>
#include <latch>
#include <set>
#include <stdexcept>

#include "support/catch.hpp"

using namespace hotpack::pipeline;

TEST_CASE("work that waits gets more threads, up to the most") {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  IoThreads* all = nullptr;
  const auto work = [&] {
    {
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    }
    all->add_one();
  };
  IoThreads threads(4, work);
  all = &threads;
  threads.grow_to(2);
  work();
  threads.join();
  CHECK(threads.count() == 4);
  CHECK(seen.size() >= 2);
}

TEST_CASE("one thread is the caller's alone") {
  int calls = 0;
  IoThreads threads(1, [&] { ++calls; });
  threads.grow_to(8);
  threads.add_one();
  threads.join();
  CHECK(threads.count() == 1);
  CHECK(calls == 0);
}

TEST_CASE("all threads run at the same time") {
  std::latch all(8);
  IoThreads threads(8, [&] { all.arrive_and_wait(); });
  threads.grow_to(8);
  all.arrive_and_wait();
  threads.join();
  CHECK(threads.count() == 8);
}

TEST_CASE("an exception of the work comes out of join()") {
  IoThreads threads(3, [] { throw std::runtime_error("no memory"); });
  threads.grow_to(3);
  CHECK_THROWS_AS(threads.join(), std::runtime_error);
}

TEST_CASE("a thread that sleeps has waited, one that computes has not") {
  const WaitMeter sleeper;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(sleeper.waited());
  // The system may stop this thread between two readings of the clocks, but not every time.
  bool computed = false;
  for (int i = 0; i < 100 && !computed; ++i) computed = !WaitMeter().waited();
  CHECK(computed);
}
