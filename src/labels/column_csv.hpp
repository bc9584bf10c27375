// Class files whose first row names the columns: `name,color`, `id;name`, `Pixel Value, Class`,
// `name,b,g,r`. For this room only.
//
// Pure functions; thread-safe. Errors have code `data` and name file and line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "labels/class_table.hpp"

namespace hotpack::labels {

// True if a column with this title contains names: "name", "label_name", "Nom".
[[nodiscard]] bool names_a_name(std::string_view column);

// Parses a file whose first row names two or more columns, separated by commas, semicolons or tabs.
// Returns nothing for other files. Columns may come in any order: a name; a color as #rrggbb, as
// three numbers, or in columns r, g, b; an id. Ids are those of the classes and must be 0 … N−1.
// Skips a row whose id is 255 or −1 and whose name means ignored pixels ("void", "ignore", …), with
// a warning. Ignores columns of other meanings, also with a warning.
[[nodiscard]] std::optional<Result<ClassTable>> parse_column_csv(std::string_view text,
                                                                 const std::string& path);

}  // namespace hotpack::labels
