// Finds the samples of several data sets, which become one: the keys of each begin with the name of
// its folder, splits of one name are joined, and all share one class table.
//
// Failure: as for discover(); `usage` and `data` for data sets that cannot be joined, naming two of
// them.
#pragma once

#include <functional>

#include "discovery/discovery.hpp"
#include "hotpack/result.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// `discover_one` finds the samples of one root.
[[nodiscard]] Result<Discovery> discover_several(
    const PackOptions& options, ProblemLog& problems,
    const std::function<Result<Discovery>(const PackOptions&, ProblemLog&)>& discover_one);

}  // namespace hotpack::pipeline
