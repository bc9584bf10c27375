// Proposes commands that would pair images and labels, for the case that no image has the same key
// as a label.
//
// Reads folders, no image. Thread-safe; cannot fail: a folder that cannot be read gives no
// suggestion.
#pragma once

#include <string>
#include <vector>

#include "samples/layout_commands.hpp"

namespace hotpack::pipeline {

// Returns at most three commands. They are all of one kind: the first of these kinds with which
// images and labels of the first labeled split pair:
// - commands with `regex` (from name_pairs.hpp), if it is not empty;
// - commands that compare only the last parts of names, or use a folder inside that of the labels,
//   if nine of ten files pair;
// - commands that fold names (--fold) and strip a suffix, if nine of ten labels pair.
// Returns none for a layout without splits.
[[nodiscard]] std::vector<Suggestion> pairing_suggestions(const Layout& layout,
                                                          const std::string& regex);

}  // namespace hotpack::pipeline
