// Helpers that the readers of class files and maps share. For this room only; pure functions,
// thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"
#include "labels/csv.hpp"

namespace hotpack::labels {

[[nodiscard]] std::string lower(std::string_view text);  // ASCII letters only

// Accepts what Python's float() accepts, except words like "inf".
[[nodiscard]] std::optional<double> number_of(std::string_view text);
// A whole number, also if it is written with a fraction of zero ("11.0").
[[nodiscard]] std::optional<std::int64_t> whole_number_of(std::string_view text);

// "line N: message", code `data`.
[[nodiscard]] Error line_error(std::size_t line, const std::string& message,
                               const std::string& path);

// "1 column", "3 columns"
[[nodiscard]] std::string columns_text(std::size_t count);

// The parts between separators, trimmed. CR LF is one separator if both characters are
// separators.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text,
                                                  std::string_view separators);

// The text without a byte order mark. Code `data` if it is not UTF-8 text (`expected` says what
// it should be).
[[nodiscard]] Result<std::string_view> plain_text(std::string_view text, std::string_view expected,
                                                  const std::string& path);

// "U+202E" if a text has a character that is invisible or changes how others look: control
// characters, line ends, direction marks. The text is UTF-8.
[[nodiscard]] std::optional<std::string> unshown_character(std::string_view text);

// names_rgb: the fields begin with words for red, green and blue; names_bgr: for blue, green and
// red.
[[nodiscard]] bool names_rgb(std::span<const std::string> fields);
[[nodiscard]] bool names_bgr(std::span<const std::string> fields);

// int(float(x)) in 0…255; otherwise an error with the line that ends with "; " and, if it is not
// a number, `expected`. Sets `fraction` if it dropped one.
[[nodiscard]] Result<std::uint8_t> color_value(const CsvRow& row, const std::string& field,
                                               std::string_view expected, bool& fraction,
                                               const std::string& path);

}  // namespace hotpack::labels
