#include "base/nearest_word.hpp"

#include <algorithm>
#include <vector>

namespace hotpack {

namespace {

// Returns the only candidate that begins with the word, such as "--partition" for "--part".
std::optional<std::string> completed_word(std::string_view word,
                                          std::span<const std::string> candidates) {
  constexpr std::size_t kLeast = 3;  // letters; fewer begin words by chance
  const std::size_t dashes = std::min(word.find_first_not_of('-'), word.size());
  if (word.size() - dashes < kLeast) return std::nullopt;
  std::optional<std::string> found;
  for (const std::string& candidate : candidates) {
    if (!candidate.starts_with(word)) continue;
    if (found) return std::nullopt;
    found = candidate;
  }
  return found;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_before;
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_before = before;
    before = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min(
          {before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest_word(std::string_view word,
                                        std::span<const std::string> candidates) {
  if (auto longer = completed_word(word, candidates)) return longer;
  std::optional<std::string> nearest;
  std::size_t least = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    const std::size_t allowed =
        std::max<std::size_t>(1, std::max(word.size(), candidate.size()) / 3);
    if (distance > allowed || (nearest && distance >= least)) continue;
    nearest = candidate;
    least = distance;
  }
  return nearest;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  const auto nearest = nearest_word(word, candidates);
  return nearest ? "; did you mean '" + *nearest + "'?" : "";
}

}  // namespace hotpack
