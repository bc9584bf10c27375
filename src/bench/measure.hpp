// Compares functions fairly: they run in turns, and the median of each function's turns counts. So
// if the machine slows down for a moment, this affects all of them.
//
// Thread-safety: none; one thread measures. Failure: the first error of a turn ends the
// measurement.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "bench/report.hpp"
#include "hotpack/result.hpp"

namespace hotpack::bench {

// What was done in one turn.
struct Work {
  double seconds = 0;
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;
};

// A function that works for about this many seconds.
using Measurement = std::function<Result<Work>(double seconds)>;

[[nodiscard]] Rate rate_of(const Work& work);
[[nodiscard]] double median(
    std::vector<double> values);  // an even number: the mean of the middle two; no values: 0
[[nodiscard]] Rate median_rate(const std::vector<Rate>& rates);

// Seconds since an arbitrary fixed point in time.
[[nodiscard]] double now_seconds();

// Calls every function of `turns` once per round, for `seconds_a_turn` seconds, in `rounds` rounds.
// Returns the median rate of each function. A round with 0 seconds comes first and is not counted:
// in it, the functions open files, and allocate and touch memory.
[[nodiscard]] Result<std::vector<Rate>> take_turns(std::span<const Measurement> turns,
                                                   unsigned rounds, double seconds_a_turn);

}  // namespace hotpack::bench
