// Prepares items on several threads and takes the results in order.
//
// What is taken, and in which order, does not depend on the number of threads. So the first error
// in the order of the items is the one that is reported, as if there was one thread.
#pragma once

#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/try.hpp"
#include "hotpack/result.hpp"
#include "settings/arena.hpp"

namespace hotpack::pipeline {

// Calls prepare(i) for the items i = 0 … count - 1, several at once, on up to `threads` threads.
// Calls take(i, prepare(i)) in the order of the items, one at a time, on any of the threads; it
// returns a Result<bool>. If that is an error or false, takes no further item, although a few may
// have been prepared, and returns it. Otherwise returns true. Exceptions of both pass through.
template <class Prepare, class Take>
[[nodiscard]] Result<bool> take_in_order(std::size_t count, int threads, const Prepare& prepare,
                                         const Take& take) {
  // Fewer items are not worth the start of a thread.
  constexpr std::size_t kLeastItems = 16;
  const std::size_t useful = std::min(static_cast<std::size_t>(std::max(threads, 1)),
                                      std::max<std::size_t>(count / kLeastItems, 1));
  if (useful == 1) {
    for (std::size_t i = 0; i < count; ++i) {
      HOTPACK_ASSIGN(const bool more, take(i, prepare(i)));
      if (!more) return false;
    }
    return true;
  }
  // Items go through the pipeline in groups, because an item may take less time than its way.
  const std::size_t group = std::min<std::size_t>(kLeastItems, count / (4 * useful) + 1);
  constexpr std::size_t kAhead = 4;  // groups per thread that wait to be taken
  // A group uses the slot of its number modulo the slots. There are never more groups in the
  // pipeline than slots.
  std::vector<std::vector<std::invoke_result_t<Prepare, std::size_t>>> slots(kAhead * useful);
  std::size_t next = 0;
  std::atomic<bool> ended = false;
  Result<bool> outcome = true;
  std::atomic<std::size_t> steps = 0;  // shows ThreadSanitizer the order that TBB keeps
  const auto slot_of = [&](std::size_t first) -> auto& {
    return slots[first / group % slots.size()];
  };
  const auto begin_group = [&](tbb::flow_control& flow) -> std::size_t {
    (void)steps.load();
    if (next < count && !ended) return std::exchange(next, next + group);
    flow.stop();
    return 0;
  };
  const auto prepare_group = [&](std::size_t first) {
    auto& slot = slot_of(first);
    for (std::size_t i = first; i < std::min(first + group, count) && !ended; ++i)
      slot.push_back(prepare(i));
    ++steps;
    return first;
  };
  const auto take_group = [&](std::size_t first) {
    (void)steps.load();
    auto& slot = slot_of(first);
    for (std::size_t i = 0; i < slot.size() && !ended; ++i) {
      outcome = take(first + i, std::move(slot[i]));
      ended = !outcome.ok() || !*outcome;
    }
    slot.clear();
    ++steps;
  };
  with_threads(static_cast<int>(useful), [&] {
    tbb::parallel_pipeline(
        slots.size(),
        tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order, begin_group) &
            tbb::make_filter<std::size_t, std::size_t>(tbb::filter_mode::parallel, prepare_group) &
            tbb::make_filter<std::size_t, void>(tbb::filter_mode::serial_in_order, take_group));
  });
  (void)steps.load();
  return outcome;
}

}  // namespace hotpack::pipeline
