// Describes a plan file: the result of `info` for it.
//
// Reads the table of the plan, no samples; thread-safe. Failure: the errors of PlanFile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/report.hpp"
#include "hotpack/result.hpp"

namespace hotpack::cli {

// Returns one report for each data set of the plan. With `partitions`, they say what each of so
// many partitions packs.
[[nodiscard]] Result<std::vector<Report>> plan_description(
    const std::string& path, const std::optional<std::uint64_t>& partitions);

}  // namespace hotpack::cli
