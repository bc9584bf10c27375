// Parses class files that are tables: those whose first row names the columns, such as
// `name,color`, `id;name`, `Pixel Value,Class` or `name,b,g,r`, and rows name,r,g,b. Only
// src/labels uses this.
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

// Parses a class file whose first row names two or more columns, separated by commas, semicolons or
// tabs. Returns nothing for other files. Columns may come in any order: a name; a color as #rrggbb,
// as three numbers, or in columns r, g, b; an id. Ids must be 0 … N−1. A row whose id is 255 or −1
// and whose name means ignored pixels ("void", "ignore", …) is skipped with a warning. Columns with
// other meanings are ignored, also with a warning. Refuses tables of whole-image classes.
[[nodiscard]] std::optional<Result<ClassTable>> parse_column_csv(std::string_view text,
                                                                 const std::string& path);
// Parses rows name,r,g,b[,…] or r,g,b between commas, with a header only if its r,g,b are not
// numbers. Precondition: a row contains text.
[[nodiscard]] Result<ClassTable> parse_color_csv(std::string_view text, const std::string& path);

}  // namespace hotpack::labels
