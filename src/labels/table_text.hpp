// Small things that the readers of class files and of maps share. Inside this room only; pure functions, thread-safe.
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

[[nodiscard]] std::string lower(std::string_view text);  // ASCII letters alone

// What Python's float() takes, less words like "inf".
[[nodiscard]] std::optional<double> number_of(std::string_view text);
// A number without a fraction, also when it is written with one ("11.0").
[[nodiscard]] std::optional<std::int64_t> whole_number_of(std::string_view text);

// "line N: message", code `data`.
[[nodiscard]] Error line_error(std::size_t line, const std::string& message, const std::string& path);

// "1 column", "3 columns"
[[nodiscard]] std::string columns_text(std::size_t count);

// The parts between separators, trimmed; CR LF is one separator where both are some.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, std::string_view separators);

// The text without a byte order mark; an error of code `data` where it is no text in UTF-8 (`expected`: what it should be).
[[nodiscard]] Result<std::string_view> plain_text(std::string_view text, std::string_view expected, const std::string& path);

// "U+202E" where a text holds a character that is not shown or changes how others are: control characters, line ends, marks of direction.
// The text is UTF-8.
[[nodiscard]] std::optional<std::string> unshown_character(std::string_view text);

// Whether the fields begin with words for red, green and blue, in this order or (`bgr`) the other way round.
[[nodiscard]] bool names_rgb(std::span<const std::string> fields);
[[nodiscard]] bool names_bgr(std::span<const std::string> fields);

// int(float(x)) in 0…255; otherwise an error with the line that ends with "; " and `expected` where it is no number. Sets `fraction` where
// one was dropped.
[[nodiscard]] Result<std::uint8_t> color_value(const CsvRow& row, const std::string& field, std::string_view expected, bool& fraction,
                                               const std::string& path);

}  // namespace hotpack::labels
