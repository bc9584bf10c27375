// Prefixes and suffixes by which names differ: "_annot" in "P001_annot" next to "P001".
//
// Pure functions of sorted, unique names; thread-safe; cannot fail. An affix contains no '/' and
// never splits a number: "11" is not "1" with a suffix.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hotpack::pipeline {

struct Affix {
  std::string text;
  bool in_front = false;
};

using SortedNames = std::vector<std::string_view>;

// Affixes that turn names of `shorter` into names of `longer`, the most frequent first. Samples the
// names if there are very many, and returns a few affixes.
[[nodiscard]] std::vector<Affix> likely_affixes(const SortedNames& shorter,
                                                const SortedNames& longer);

// Counts the names of `shorter` that are in `longer` with this affix; an empty affix leaves them as
// they are.
[[nodiscard]] std::uint64_t count_affixed(const SortedNames& shorter, const SortedNames& longer,
                                          const Affix& affix);

}  // namespace hotpack::pipeline
