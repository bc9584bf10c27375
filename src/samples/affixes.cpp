#include "samples/affixes.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kMostNames = 4096;
constexpr std::size_t kMostAffixes = 8;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_among(const SortedNames& names, std::string_view name) {
  return std::binary_search(names.begin(), names.end(), name);
}

using Counts = std::map<std::pair<bool, std::string_view>, std::uint64_t>;

// Counts every way to cut a name into a name of `shorter` and an affix.
void count_cuts(const SortedNames& shorter, std::string_view name, Counts& counts) {
  for (std::size_t cut = 1; cut < name.size(); ++cut) {
    if (is_digit(name[cut - 1]) && is_digit(name[cut])) continue;
    const std::string_view first = name.substr(0, cut), second = name.substr(cut);
    if (second.find('/') == std::string_view::npos && is_among(shorter, first))
      ++counts[{false, second}];
    if (first.find('/') == std::string_view::npos && is_among(shorter, second))
      ++counts[{true, first}];
  }
}

}  // namespace

std::vector<Affix> likely_affixes(const SortedNames& shorter, const SortedNames& longer) {
  Counts counts;
  const std::size_t step = longer.size() / kMostNames + 1;
  for (std::size_t i = 0; i < longer.size(); i += step) count_cuts(shorter, longer[i], counts);
  std::vector<std::pair<std::uint64_t, Affix>> by_count;
  for (const auto& [affix, count] : counts)
    by_count.push_back({count, {std::string(affix.second), affix.first}});
  std::stable_sort(by_count.begin(), by_count.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  by_count.resize(std::min(by_count.size(), kMostAffixes));
  std::vector<Affix> affixes;
  affixes.reserve(by_count.size());
  for (auto& [count, affix] : by_count) affixes.push_back(std::move(affix));
  return affixes;
}

std::uint64_t count_affixed(const SortedNames& shorter, const SortedNames& longer,
                            const Affix& affix) {
  return static_cast<std::uint64_t>(
      std::count_if(shorter.begin(), shorter.end(), [&](std::string_view name) {
        return is_among(longer, affix.in_front ? affix.text + std::string(name)
                                               : std::string(name) + affix.text);
      }));
}

}  // namespace hotpack::pipeline
