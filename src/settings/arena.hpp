// Runs work with the requested number of threads, even if that is more than the cores. Uses fewer
// if the system does not start so many.
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cstddef>

namespace hotpack::pipeline {

// Returns how many threads the work may use, including the caller's: at most `wanted`, at least 1.
// oneTBB ends the process if one of its threads does not start. Therefore this function starts that
// many threads itself for a moment, plus one for the thread that commits shards, and counts those
// that start.
[[nodiscard]] std::size_t available_threads(int wanted);

// Makes oneTBB start the other `count` - 1 threads of the current arena now, and waits for them for
// a short time. oneTBB keeps them, so none has to start during the work. If one does not start,
// calls std::terminate(), because an exception would make oneTBB wait, perhaps forever, for a
// thread that does not exist.
void start_threads(std::size_t count) noexcept;

template <class Work>
auto with_threads(int threads, Work work) {
  const std::size_t count = available_threads(threads);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, count);
  tbb::task_arena arena(static_cast<int>(count));
  return arena.execute([&] {
    start_threads(count);
    return work();
  });
}

}  // namespace hotpack::pipeline
