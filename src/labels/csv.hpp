// Values separated by commas (or another character) with RFC 4180 quotes. Only src/labels
// and its tests use this; pure functions, thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::labels {

struct CsvRow {
  std::size_t line = 0;             // in the file, from 1, where the row begins
  std::vector<std::string> fields;  // without quotes and surrounding blanks
};

// The text without leading and trailing spaces and tabs.
[[nodiscard]] std::string_view trimmed(std::string_view text);

// The most frequent of comma, semicolon and tab in the first line; a comma if it has none.
[[nodiscard]] char separator_of(std::string_view text);

// Returns the rows that contain text. (Spreadsheets also write rows of nothing but commas.) Lines
// end in LF, CRLF or CR. A quoted field may contain commas, line ends and doubled quotes. A quote
// inside an unquoted field is an ordinary character. Fails with code `data` and the line if a quote
// is not closed, or if other text follows the closing quote.
[[nodiscard]] Result<std::vector<CsvRow>> parse_csv(std::string_view text, const std::string& path,
                                                    char separator = ',');

}  // namespace hotpack::labels
