// Class files whose first row names the columns: `name,color`, `id;name`, `Pixel Value, Class`, `name,b,g,r`. Inside this room only.
//
// Pure functions; thread-safe. Errors have code `data` and name file and line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "labels/class_table.hpp"

namespace hotpack::labels {

// Whether a first row, or the only column of a file, is called by a word for names ("name", "label_name", "Nom").
[[nodiscard]] bool names_a_name(std::string_view column);

// Nothing where the first row does not name columns, two or more, set apart by commas, semicolons or tabs. Columns may stand in any order:
// a name; a color as #rrggbb, as three numbers, or in columns r, g, b; an id. Ids are those of the classes and must be 0 … N−1; a row
// of id 255 or −1 that is called as what is ignored ("void", "ignore", …) is left out with a warning, and so are other columns.
[[nodiscard]] std::optional<Result<ClassTable>> parse_column_csv(std::string_view text, const std::string& path);

}  // namespace hotpack::labels
