// Checks which input options can be combined.
//
// A pure function of the options; no folder is read.
#pragma once

#include "hotpack/result.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// Code `usage` for options that contradict each other, with their names and the valid combinations.
[[nodiscard]] Status check_inputs(const InputOptions& input);

}  // namespace hotpack::pipeline
