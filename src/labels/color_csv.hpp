// Parses class files with one color per class: CSV name,r,g,b. Only src/labels uses this; pure
// functions, thread-safe.
#pragma once

#include <string>
#include <vector>

#include "labels/class_table.hpp"
#include "labels/csv.hpp"

namespace hotpack::labels {

// See parse_class_file().
[[nodiscard]] Result<ClassTable> parse_color_csv(const std::vector<CsvRow>& rows,
                                                 const std::string& path);

}  // namespace hotpack::labels
