// Where no image and label share a key: what would pair them, tried on their names.
//
// Reads folders, no image. Thread-safe; cannot fail: what cannot be read gives no way.
#pragma once

#include <string>
#include <vector>

#include "inputs/layout_commands.hpp"

namespace hotpack::pipeline {

// At most three: `regex` (of name_pairs) where it is not empty; else the last parts of names alone, or a folder below that of the labels,
// if they pair nine of ten images of the first split that has labels; else folded names (--fold) and a suffix that pair nine of ten labels.
// None for a layout without splits.
[[nodiscard]] std::vector<Way> pairing_ways(const Layout& layout, const std::string& regex);

}  // namespace hotpack::pipeline
