// Detects the layout of a data set.
//
// Examines names of folders, files and lists; reads no image. A folder may fit several layouts,
// which are called readings here. If two readings are equally good, or if none fits, the code does
// not guess. Failure: `io` for folders that cannot be read, `usage` if the folder is no data set,
// `data` if its layout is unclear: the message says what was found, what was expected, and which
// options decide.
#pragma once

#include <string>

#include "hotpack/result.hpp"
#include "samples/layout.hpp"
#include "samples/suffix_rules.hpp"

namespace hotpack::pipeline {

[[nodiscard]] Result<Layout> detect_layout(const std::string& root, const GivenSuffixes& given);

}  // namespace hotpack::pipeline
