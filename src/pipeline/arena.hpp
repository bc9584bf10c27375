// Runs pipeline work with as many threads as asked for, more than cores if need be.
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>

namespace hotpack::pipeline {

template <class Work>
auto with_threads(int threads, Work work) {
  const int count = std::max(1, threads);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count));
  tbb::task_arena arena(count);
  return arena.execute(work);
}

}  // namespace hotpack::pipeline
