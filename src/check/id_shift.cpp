#include "check/id_shift.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace hotpack::pipeline {

namespace {

constexpr RawValue kIgnoredId = 255;

}  // namespace

void IdShift::add(const std::string& path, const std::vector<ValueCount>& ids) {
  std::uint64_t pixels = 0;
  for (const ValueCount& id : ids) pixels += id.value < kIgnoredId ? id.pixels : 0;
  if (pixels == 0) return;
  ++labels_;
  Suspect suspect{path, {}, false};
  for (const ValueCount& id : ids) {
    if (id.value >= kIgnoredId) continue;
    const auto share =
        static_cast<float>(static_cast<double>(id.pixels) / static_cast<double>(pixels));
    suspect.shares.emplace_back(static_cast<std::uint8_t>(id.value), share);
    sums_[id.value] += static_cast<double>(share);
  }
  suspect.beyond = suspect.shares.back().first == class_count_;
  if (suspect.shares.front().first == 0)
    ++with_zero_;
  else if (suspects_.size() < kMostSuspects)
    suspects_.push_back(std::move(suspect));
}

std::string IdShift::evidence_against(const Suspect& suspect) const {
  constexpr std::size_t kFewIds = 3;
  constexpr double kLeastShare = 0.01, kMostlyAlike = 0.5, kMuchMore = 1.5;
  double as_it_is = 0, lowered = 0;  // shares that agree with the average label: of the label, and
                                     // of the label with all ids lowered by one
  std::size_t matching = 0;
  for (const auto& [id, share] : suspect.shares) {
    const auto mean = [&](std::size_t at) { return sums_[at] / static_cast<double>(labels_); };
    const double match = std::min<double>(share, mean(id - 1u));
    as_it_is += std::min<double>(share, mean(id));
    lowered += match;
    matching += match >= kLeastShare;
  }
  const bool shows = lowered >= kMostlyAlike && matching >= kFewIds &&
                     lowered > as_it_is * (suspect.beyond ? 1 : kMuchMore);
  if (!shows) return "";
  return "ids " + std::to_string(suspect.shares.front().first) + "…" +
         std::to_string(suspect.shares.back().first) + ", never 0: " + percent_text(as_it_is, 0) +
         " of the label agrees with the other labels, " + percent_text(lowered, 0) +
         " if every id is lowered by one";
}

Occurrences IdShift::shifted() const {
  constexpr std::uint64_t kFewLabels = 8;
  Occurrences occurrences;
  // If not nearly every label has id 0, a label without it is not suspect.
  if (labels_ < kFewLabels || with_zero_ * 5 < labels_ * 4) return occurrences;
  for (const Suspect& suspect : suspects_) {
    std::string evidence = evidence_against(suspect);
    if (!evidence.empty()) occurrences.add({suspect.path, std::move(evidence)});
  }
  return occurrences;
}

}  // namespace hotpack::pipeline
