// Helpers that the readers of class files and maps share. Only src/labels uses this; pure
// functions, thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.hpp"
#include "hotpack/result.hpp"

namespace hotpack::labels {

// A warning.
inline constexpr std::string_view kNoNames =
    "the class file has no names: classes are called class_0, class_1, …";

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

// Splits a text at each of the characters in `separators` and trims the parts. CR LF is one
// separator if both characters are separators.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text,
                                                  std::string_view separators);

// Returns the text without its byte order mark. Fails with code `data` if it is not UTF-8 text; the
// message then says with `expected` what the file should contain.
[[nodiscard]] Result<std::string_view> plain_text(std::string_view text, std::string_view expected,
                                                  const std::string& path);

// Returns true if the first three fields are words for red, green and blue. names_bgr() does the
// same for blue, green and red.
[[nodiscard]] bool names_rgb(std::span<const std::string> fields);
[[nodiscard]] bool names_bgr(std::span<const std::string> fields);

// Returns int(float(field)). Fails with the line if the result is not in 0…255, or if the field is
// not a number; the message then ends with `expected`. Sets `fraction` to true if the number had a
// fraction.
[[nodiscard]] Result<std::uint8_t> color_value(const CsvRow& row, const std::string& field,
                                               std::string_view expected, bool& fraction,
                                               const std::string& path);

}  // namespace hotpack::labels
