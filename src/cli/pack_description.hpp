// Describes the contents of a packed data set: the result of `info`.
//
// Pure; thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/report.hpp"
#include "hotpack/dataset.hpp"

namespace hotpack::cli {

// The numbers of the statistics are copied from the manifest digit by digit. `faults` describes
// missing or unusable files; the JSON member `faults` exists only if there are some. If lines are
// longer than `columns`, class names are truncated; 0 means no limit.
[[nodiscard]] Report pack_description(const Dataset& dataset,
                                      const std::vector<std::string>& faults = {},
                                      std::size_t columns = 0);

}  // namespace hotpack::cli
