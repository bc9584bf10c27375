// Makes tables for text reports: rows of cells become aligned lines.
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
  std::size_t indent = 2;     // spaces before each line
  std::size_t columns = 0;    // if not 0, the cells of one column are truncated to make lines fit,
                              // but not to fewer than 8 columns
  std::size_t shrinking = 0;  // the index of the column whose cells are truncated
};

// Returns one line per row, each ended by a newline; columns are two spaces apart. A row with a
// single cell is a title if other rows have more cells: its width does not count for the column.
// Cells must be printable.
[[nodiscard]] std::string table_text(const std::vector<Cells>& rows, const TableForm& form);

}  // namespace hotpack::cli
