// Keys that are the same text to people and different bytes: other case, or another Unicode form (macOS writes "é" as two characters).
//
// Pure functions but for the lists they change; thread-safe. Cannot fail: what is not UTF-8 stays as it is.
#pragma once

#include <string>
#include <string_view>

#include "inputs/file_list.hpp"
#include "inputs/file_set.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// In a form that is the same for all texts that the folding takes for one.
[[nodiscard]] std::string folded(std::string_view text, KeyFolding folding);

// What the two differ in, with the option that folds it: "case only: say --fold case". Empty where no folding makes them one.
[[nodiscard]] std::string folding_advice(std::string_view a, std::string_view b);

// Labels get the keys of the images that they are folded to; keys stay as images spell them. Two images that fold to one key are a problem.
void fold_keys(FileSet& set, KeyFolding folding, ProblemLog& problems);

}  // namespace hotpack::pipeline
