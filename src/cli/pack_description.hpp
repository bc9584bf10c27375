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

// Makes the report of `info`. Numbers of the statistics are copied digit by digit from the
// manifest. `faults` describes missing or unusable files; the JSON member `faults` exists only if
// there are some. Long class names are truncated so that lines fit into `columns`; 0 means no
// limit.
[[nodiscard]] Report pack_description(const Dataset& dataset,
                                      const std::vector<std::string>& faults = {},
                                      std::size_t columns = 0);

// Adds what a schema says of the records, and the options that they were made with.
void add_schema(Report& report, const Schema& schema);

}  // namespace hotpack::cli
