// Tables of every report that people read: rows of cells as aligned lines.
//
// Pure; thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hotpack::cli {

using Cells = std::vector<std::string>;

struct TableForm {
  std::string_view align =
      "l";  // 'l' or 'r' per column; the last letter also stands for all later columns
  std::size_t indent = 2;     // blanks before each line
  std::size_t columns = 0;    // if set, one column is truncated, to 8 at least, so that lines fit
  std::size_t shrinking = 0;  // the number of that column
};

// One line per row, ended by a newline; columns are two blanks apart. A row with a single cell is a
// title if other rows have more: it is printed as it is and makes no column wider. Cells must be
// printable.
[[nodiscard]] std::string table_text(const std::vector<Cells>& rows, const TableForm& form);

}  // namespace hotpack::cli
