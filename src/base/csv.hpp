// Values separated by commas (or another character) with RFC 4180 quotes.
//
// Pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack {

struct CsvRow {
  std::size_t line = 0;             // in the file, from 1, where the row begins
  std::vector<std::string> fields;  // without quotes and surrounding blanks
};

// The text without leading and trailing spaces, tabs and CR.
[[nodiscard]] std::string_view trimmed(std::string_view text);

// The most frequent of comma, semicolon and tab in the first line; a comma if it has none.
[[nodiscard]] char separator_of(std::string_view text);

// Returns the rows that contain text. (Spreadsheets also write rows of nothing but commas.) Lines
// end in LF, CRLF or CR. A quoted field may contain commas, line ends and doubled quotes. A quote
// inside an unquoted field is an ordinary character. The separator ' ' means words: any number of
// spaces and tabs separates them. Fails with code `data` and the line if a quote is not closed, or
// if other text follows the closing quote.
[[nodiscard]] Result<std::vector<CsvRow>> parse_csv(std::string_view text, const std::string& path,
                                                    char separator = ',');
// Returns the fields of a single line, also if they are empty. Fails as parse_csv(), and if there
// are further lines.
[[nodiscard]] Result<std::vector<std::string>> parse_csv_line(std::string_view line,
                                                              char separator = ',');

}  // namespace hotpack
