#include "cli/table.hpp"

#include <algorithm>
#include <numeric>

#include "cli/text.hpp"

namespace hotpack::cli {

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kFewest = 8;  // a cell is not truncated to fewer columns

std::size_t columns_of(const std::vector<Cells>& rows) {
  std::size_t most = 0;
  for (const Cells& row : rows) most = std::max(most, row.size());
  return most;
}

std::vector<std::size_t> widths_of(const std::vector<Cells>& rows, const TableForm& form) {
  std::vector<std::size_t> widths(columns_of(rows));
  for (const Cells& row : rows)
    for (std::size_t c = 0; c < row.size() && (row.size() > 1 || widths.size() == 1); ++c)
      widths[c] = std::max(widths[c], text_width(row[c]));
  if (form.columns == 0 || widths.empty()) return widths;
  std::size_t& shrinking = widths[form.shrinking];
  const std::size_t others =
      std::accumulate(widths.begin(), widths.end(), form.indent + kGap * (widths.size() - 1)) -
      shrinking;
  shrinking = std::min(shrinking, std::max(form.columns - std::min(form.columns, others), kFewest));
  return widths;
}

std::string line_of(const Cells& row, const std::vector<std::size_t>& widths,
                    std::string_view align) {
  std::string line;
  for (std::size_t c = 0; c < row.size(); ++c) {
    const std::string cell = truncated(row[c], widths[c]);
    const std::string blanks(widths[c] - text_width(cell), ' ');
    line.append(c == 0 ? 0 : kGap, ' ');
    line += align[std::min(c, align.size() - 1)] == 'r' ? blanks + cell : cell + blanks;
  }
  return line;
}

}  // namespace

std::string table_text(const std::vector<Cells>& rows, const TableForm& form) {
  const std::vector<std::size_t> widths = widths_of(rows, form);
  std::string text;
  for (const Cells& row : rows) {
    const bool is_title = row.size() == 1 && widths.size() > 1;
    const std::string line =
        std::string(form.indent, ' ') + (is_title ? row.front() : line_of(row, widths, form.align));
    text.append(line, 0, line.find_last_not_of(' ') + 1).append("\n");
  }
  return text;
}

}  // namespace hotpack::cli
