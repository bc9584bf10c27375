#include "check/class_balance.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <utility>

namespace hotpack::pipeline {

namespace {

constexpr std::uint64_t kLeastLabels = 30;
constexpr double kLeastShare = 0.01;
constexpr double kLeastFactor = 3;
constexpr double kLeastErrors = 5;
constexpr std::size_t kNamesListed = 12;

}  // namespace

ClassBalance::ClassBalance(std::size_t splits, std::size_t classes) : splits_(splits) {
  for (SplitSums& split : splits_) split.classes.resize(classes);
}

void ClassBalance::add(std::size_t split, const std::vector<ValueCount>& classes,
                       std::uint64_t pixels) {
  SplitSums& sums = splits_[split];
  if (pixels == 0 || classes.empty()) return;
  ++sums.labels;
  for (const ValueCount& found : classes) {
    if (found.value >= sums.classes.size()) continue;
    const double share = static_cast<double>(found.pixels) / static_cast<double>(pixels);
    sums.classes[found.value].shares += share;
    sums.classes[found.value].squares += share * share;
  }
}

void ClassBalance::add(std::size_t split, std::uint32_t class_id) {
  add(split, {{class_id, 1}}, 1);
}

double ClassBalance::SplitSums::squared_error(std::size_t c) const {
  const auto count = static_cast<double>(labels);
  const double average = mean(c);
  return std::max(0.0, classes[c].squares / count - average * average) / count;
}

bool ClassBalance::jumps(const SplitSums& a, const SplitSums& b, std::size_t c) {
  const double low = std::min(a.mean(c), b.mean(c)), high = std::max(a.mean(c), b.mean(c));
  if (low <= 0 || high < kLeastShare || high < kLeastFactor * low) return false;
  const double apart = high - low;
  return apart * apart >= kLeastErrors * kLeastErrors * (a.squared_error(c) + b.squared_error(c));
}

std::size_t ClassBalance::largest() const {
  const auto most =
      std::max_element(splits_.begin(), splits_.end(),
                       [](const SplitSums& a, const SplitSums& b) { return a.labels < b.labels; });
  return static_cast<std::size_t>(most - splits_.begin());
}

void ClassBalance::finish(const std::vector<std::string>& splits,
                          const std::vector<std::string>& classes, Diagnostics& diagnostics) const {
  if (splits_.size() < 2) return;
  const std::size_t first = largest();
  std::vector<std::string> jumping;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    std::string others;
    for (std::size_t split = 0; split < splits_.size(); ++split) {
      const bool compared = split != first && splits_[split].labels >= kLeastLabels &&
                            splits_[first].labels >= kLeastLabels;
      if (compared && jumps(splits_[first], splits_[split], c))
        others += ", " + splits[split] + " " + percent_text(splits_[split].mean(c));
    }
    if (!others.empty())
      jumping.push_back("'" + classes[c] + "' (" + splits[first] + " " +
                        percent_text(splits_[first].mean(c)) + others + ")");
  }
  if (jumping.empty()) return;
  const std::string title =
      share_text(jumping.size(), classes.size(), "class", "classes") +
      (jumping.size() == 1 ? " has a very different share in another split: "
                           : " have very different shares in another split: ") +
      list_text(jumping, kNamesListed);
  diagnostics.add(make_diagnostic("class-share-jumps", Severity::warning, title,
                                  {jumping.size(), {}}, classes.size(),
                                  "the model is tested on other scenes than it learns from. Split "
                                  "the samples again, unless this is intended"));
}

}  // namespace hotpack::pipeline
