// Fair measuring: contestants take turns, and the median of their turns counts, so that a machine
// that slows down for a moment slows all of them.
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

// Done in one turn.
struct Work {
  double seconds = 0;
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;
};

// Works for about so many seconds.
using Measurement = std::function<Result<Work>(double seconds)>;

[[nodiscard]] Rate rate_of(const Work& work);
[[nodiscard]] double median(
    std::vector<double> values);  // of an even number the mean of the middle two; of none 0
[[nodiscard]] Rate median_rate(const std::vector<Rate>& rates);

// Seconds since a point in time that stays the same.
[[nodiscard]] double now_seconds();

// Every turn once a round; the median rate of each. A first round of no length is not counted: it
// opens, allocates and touches.
[[nodiscard]] Result<std::vector<Rate>> take_turns(std::span<const Measurement> turns,
                                                   unsigned rounds, double seconds_a_turn);

}  // namespace hotpack::bench
