// Where the splits of a run go: each into its own folder inside -o.
//
// Functions without state; thread-safe.
#pragma once

#include <string>

#include "hotpack/result.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// Refuses, with `usage`, a folder for several data sets that is a data set itself.
[[nodiscard]] Status check_folder_of_sets(const std::string& folder);

// Returns the run options of a split: it has its own folders and its own list of skipped samples.
[[nodiscard]] RunOptions run_of_split(RunOptions run, const std::string& split);

}  // namespace hotpack::pipeline
