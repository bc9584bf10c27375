// Prefixes and suffixes (affixes) by which the names of images and labels differ: "_annot" in
// "P001_annot" next to "P001".
//
// Pure functions of sorted lists of different names; thread-safe; cannot fail. An affix contains no
// '/' and never splits a number: "11" is not "1" with a suffix.
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
// first. If there are very many names, examines only some of them.
[[nodiscard]] std::vector<Affix> likely_affixes(const SortedNames& shorter,
                                                const SortedNames& longer);

// Returns how many names of `shorter` become names of `longer` when the affix is added. With an
// empty affix, counts equal names.
[[nodiscard]] std::uint64_t count_affixed(const SortedNames& shorter, const SortedNames& longer,
                                          const Affix& affix);

}  // namespace hotpack::pipeline
