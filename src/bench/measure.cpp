#include "bench/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "base/try.hpp"

namespace hotpack::bench {

Rate rate_of(const Work& work) {
  const double seconds = std::max(work.seconds, 1e-9);
  return {static_cast<double>(work.samples) / seconds, static_cast<double>(work.bytes) / seconds};
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Rate median_rate(const std::vector<Rate>& rates) {
  std::vector<double> samples, bytes;
  for (const Rate& rate : rates) {
    samples.push_back(rate.samples_per_second);
    bytes.push_back(rate.bytes_per_second);
  }
  return {median(std::move(samples)), median(std::move(bytes))};
}

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Result<std::vector<Rate>> take_turns(std::span<const Measurement> turns, unsigned rounds,
                                     double seconds_a_turn) {
  for (const Measurement& turn : turns) HOTPACK_TRY(turn(0));
  std::vector<std::vector<Rate>> taken(turns.size());
  for (unsigned round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < turns.size(); ++i) {
      HOTPACK_ASSIGN(const Work work, turns[i](seconds_a_turn));
      taken[i].push_back(rate_of(work));
    }
  }
  std::vector<Rate> medians;
  medians.reserve(taken.size());
  for (const auto& rates : taken) medians.push_back(median_rate(rates));
  return medians;
}

}  // namespace hotpack::bench
