// Which input options go together.
//
// A pure function of the options; no folder is read.
#pragma once

#include "hotpack/result.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// Code `usage` for options that contradict each other, naming them and what goes with what.
[[nodiscard]] Status check_inputs(const InputOptions& input);

}  // namespace hotpack::pipeline
