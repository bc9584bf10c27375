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

// Returns a few affixes that turn names of `shorter` into names of `longer`, the most frequent
// first. Of very many names, examines only a sample.
[[nodiscard]] std::vector<Affix> likely_affixes(const SortedNames& shorter,
                                                const SortedNames& longer);

// Counts the names of `shorter` that are names of `longer` once the affix is added. An empty affix
// adds nothing.
[[nodiscard]] std::uint64_t count_affixed(const SortedNames& shorter, const SortedNames& longer,
                                          const Affix& affix);

}  // namespace hotpack::pipeline
