#include "bench/report.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace hotpack::bench {

std::string_view stage_name(Stage stage) {
  constexpr std::array<std::string_view, 7> kNames = {"disk",   "copies",     "expansion", "bus",
                                                      "gather", "end-to-end", "resident"};
  return kNames[static_cast<std::size_t>(stage)];
}

unsigned recommended_threads(const std::vector<BenchRow>& rows) {
  double best = 0;
  for (const BenchRow& row : rows)
    if (row.stage == Stage::end_to_end) best = std::max(best, row.rate.samples_per_second);
  unsigned fewest = 0;
  for (const BenchRow& row : rows) {
    const bool near =
        row.stage == Stage::end_to_end && row.rate.samples_per_second >= kNearBest * best;
    if (near && (fewest == 0 || row.threads < fewest)) fewest = row.threads;
  }
  return std::max(1U, fewest);
}

}  // namespace hotpack::bench
