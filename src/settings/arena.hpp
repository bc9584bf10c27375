// Runs work with the requested number of threads, even more than cores, or with fewer if the system
// starts no more.
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cstddef>

namespace hotpack::pipeline {

// Returns the number of threads for the work, including the caller's: at most `wanted`, at least 1.
// oneTBB ends the process if one of its threads does not start. Therefore this function starts as
// many threads for a moment, including one for the thread that commits shards.
[[nodiscard]] std::size_t available_threads(int wanted);

// Lets oneTBB start the other `count` - 1 threads of the current arena now, and waits for them, but
// not long. oneTBB keeps them, so none has to start during the work. If one does not start, calls
// std::terminate(): to unwind oneTBB then may wait forever for a thread that does not exist.
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
