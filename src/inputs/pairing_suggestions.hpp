// Proposes commands that would pair images and labels if no image shares a key with a label.
//
// Reads folders, no image. Thread-safe; cannot fail: a folder that cannot be read gives no
// suggestion.
#pragma once

#include <string>
#include <vector>

#include "inputs/layout_commands.hpp"

namespace hotpack::pipeline {

// Returns at most three commands, all of the first kind that pairs the first split with labels:
// - `regex` (of name_pairs.hpp), if it is not empty;
// - the last parts of names alone, or a folder in that of the labels, if nine of ten files pair;
// - folded names (--fold) and a suffix, if nine of ten labels pair.
// Returns none for a layout without splits.
[[nodiscard]] std::vector<Suggestion> pairing_suggestions(const Layout& layout,
                                                          const std::string& regex);

}  // namespace hotpack::pipeline
