// Values set apart by commas (or another character) with RFC 4180 quotes. Inside this room only; pure functions, thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::labels {

struct CsvRow {
  std::size_t line = 0;             // of the file, from 1, where the row begins
  std::vector<std::string> fields;  // without quotes and the blanks around them
};

// The text without blanks and tabs at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

// The one of comma, semicolon and tab that the first line has most of; a comma where it has none.
[[nodiscard]] char separator_of(std::string_view text);

// The rows that hold any text (a spreadsheet's lines of commas alone do not). Lines end in LF, CRLF or CR; a quoted field may hold commas,
// line ends and doubled quotes. A quote inside an unquoted field stands for itself. Fails with code `data` and the line where a quote is
// not closed or followed by other text.
[[nodiscard]] Result<std::vector<CsvRow>> parse_csv(std::string_view text, const std::string& path, char separator = ',');

}  // namespace hotpack::labels
