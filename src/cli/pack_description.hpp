// The contents of a packed data set: the result of `info`.
//
// Pure; thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/report.hpp"
#include "hotpack/dataset.hpp"

namespace hotpack::cli {

// Numbers of the statistics are those of the manifest, digit by digit. `faults` are missing or
// unusable files; the member `faults` exists only if there are some. Names of classes are truncated
// if lines are longer than `columns`; 0: no limit.
[[nodiscard]] Report pack_description(const Dataset& dataset,
                                      const std::vector<std::string>& faults = {},
                                      std::size_t columns = 0);

}  // namespace hotpack::cli
