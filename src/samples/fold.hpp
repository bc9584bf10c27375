// Handles keys that look equal but differ in bytes: in upper and lower case, or in Unicode form
// (macOS writes "é" as two characters).
//
// To fold a key means to remove such differences. Pure functions, except for the lists they change;
// thread-safe. Cannot fail: text that is not UTF-8 stays unchanged.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "files/file_list.hpp"
#include "files/file_set.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// Returns a form that is the same for all texts that the folding treats as equal.
[[nodiscard]] std::string folded(std::string_view text, KeyFolding folding);

struct FoldingAdvice {
  std::string difference;  // how the two keys differ: "upper and lower case only"
  std::string option;      // what makes them equal: "--fold case"
};
// Returns nothing if no folding makes the two equal. The option of the advice includes `given`, the
// folding that the user has already chosen.
[[nodiscard]] std::optional<FoldingAdvice> folding_advice(std::string_view a, std::string_view b,
                                                          KeyFolding given);

// Gives each label the key of the image whose key folds to the same text; keys of images stay
// unchanged. If the keys of two images fold to the same text, this is a problem.
void fold_keys(FileSet& set, KeyFolding folding, ProblemLog& problems);

}  // namespace hotpack::pipeline
