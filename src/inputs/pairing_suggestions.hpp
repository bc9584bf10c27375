// Commands that would pair images and labels of which none share a key.
//
// Reads folders, no image. Thread-safe; cannot fail: a folder that cannot be read gives no
// suggestion.
#pragma once

#include <string>
#include <vector>

#include "inputs/layout_commands.hpp"

namespace hotpack::pipeline {

// At most three: `regex` (of name_pairs) if it is not empty; else the last parts of names alone, or
// a folder below that of the labels, if they pair nine of ten images of the first split that has
// labels; else folded names (--fold) and a suffix that pair nine of ten labels. None for a layout
// without splits.
[[nodiscard]] std::vector<Suggestion> pairing_suggestions(const Layout& layout,
                                                          const std::string& regex);

}  // namespace hotpack::pipeline
