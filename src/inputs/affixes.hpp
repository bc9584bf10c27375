// What names have before or behind other names: "_annot" in "P001_annot" next to "P001".
//
// Pure functions of sorted names, each of which is there once; thread-safe; cannot fail. An affix holds no '/', and no digit meets a digit
// where it is put on: "1" and "11" are numbers, not a name and one with a suffix.
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

// Those that make some of `longer` out of `shorter`, the commonest first. Looks at a part of very many names, and returns a few.
[[nodiscard]] std::vector<Affix> likely_affixes(const SortedNames& shorter, const SortedNames& longer);

// How many of `shorter` are among `longer` with this affix; one without text: as they are.
[[nodiscard]] std::uint64_t count_affixed(const SortedNames& shorter, const SortedNames& longer, const Affix& affix);

}  // namespace hotpack::pipeline
