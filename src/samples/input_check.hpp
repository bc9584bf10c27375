// Checks which input options can be combined.
//
// A pure function of the options; no folder is read.
#pragma once

#include "hotpack/result.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// Returns an error of code `usage` if options contradict each other. The message names these
// options and says which combinations are valid.
[[nodiscard]] Status check_inputs(const InputOptions& input);

}  // namespace hotpack::pipeline
