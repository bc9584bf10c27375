// Prepares items on several threads and takes the results in order.
//
// What is taken, and in which order, does not depend on the number of threads. So the first error
// in the order of the items is the one that is reported, as if there was one thread.
#pragma once

#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
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
  constexpr std::size_t kAhead = 4;  // items per thread that wait to be taken
  // Item i uses the slot i % slots.size(). There are never more items in the pipeline than slots.
  std::vector<std::optional<std::invoke_result_t<Prepare, std::size_t>>> slots(kAhead * useful);
  std::size_t next = 0;
  std::atomic<bool> ended = false;
  Result<bool> outcome = true;
  std::atomic<std::size_t> steps = 0;  // shows ThreadSanitizer the order that TBB keeps
  with_threads(static_cast<int>(useful), [&] {
    tbb::parallel_pipeline(
        slots.size(),
        tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order,
                                            [&](tbb::flow_control& flow) -> std::size_t {
                                              (void)steps.load();
                                              if (next < count && !ended) return next++;
                                              flow.stop();
                                              return 0;
                                            }) &
            tbb::make_filter<std::size_t, std::size_t>(tbb::filter_mode::parallel,
                                                       [&](std::size_t i) {
                                                         slots[i % slots.size()].emplace(
                                                             prepare(i));
                                                         ++steps;
                                                         return i;
                                                       }) &
            tbb::make_filter<std::size_t, void>(tbb::filter_mode::serial_in_order,
                                                [&](std::size_t i) {
                                                  (void)steps.load();
                                                  auto& slot = slots[i % slots.size()];
                                                  if (!ended) {
                                                    outcome = take(i, std::move(*slot));
                                                    ended = !outcome.ok() || !*outcome;
                                                  }
                                                  slot.reset();
                                                  ++steps;
                                                }));
  });
  (void)steps.load();
  return outcome;
}

}  // namespace hotpack::pipeline
