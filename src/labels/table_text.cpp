#include "labels/table_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace hotpack::labels {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

using Words = std::array<std::string_view, 3>;

bool begins_with(std::span<const std::string> fields, const Words& words) {
  return fields.size() >= words.size() &&
         std::equal(
             words.begin(), words.end(), fields.begin(),
             [](std::string_view word, const std::string& field) { return lower(field) == word; });
}

}  // namespace

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<std::int64_t> whole_number_of(std::string_view text) {
  constexpr double kExact = 1LL << 53;
  const std::optional<double> number = number_of(text);
  if (!number || std::trunc(*number) != *number || std::abs(*number) > kExact) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

Error line_error(std::size_t line, const std::string& message, const std::string& path) {
  return data_error("line " + std::to_string(line) + ": " + message, path);
}

std::string columns_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " column" : " columns");
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find_first_of(separators);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + (text.substr(end, 2) == "\r\n" ? 2u : 1u));
  }
}

Result<std::string_view> plain_text(std::string_view text, std::string_view expected,
                                    const std::string& path) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return line_error(
        1, "the file is text in UTF-16, which some programs call Unicode; save it as UTF-8", path);
  if (text.find('\0') != std::string_view::npos)
    return data_error("not a text file in UTF-8; expected " + std::string(expected), path);
  if (const auto at = first_faulty_byte(text)) {
    const auto line = 1 + static_cast<std::size_t>(std::count(
                              text.begin(), text.begin() + static_cast<std::ptrdiff_t>(*at), '\n'));
    return line_error(line,
                      "holds characters that are not UTF-8 (perhaps Latin-1 or Windows-1252); save "
                      "the file as UTF-8",
                      path);
  }
  return text;
}

bool names_rgb(std::span<const std::string> fields) {
  return begins_with(fields, {"r", "g", "b"}) || begins_with(fields, {"red", "green", "blue"});
}

bool names_bgr(std::span<const std::string> fields) {
  return begins_with(fields, {"b", "g", "r"}) || begins_with(fields, {"blue", "green", "red"});
}

Result<std::uint8_t> color_value(const CsvRow& row, const std::string& field,
                                 std::string_view expected, bool& fraction,
                                 const std::string& path) {
  const std::optional<double> number = number_of(field);
  if (!number)
    return line_error(row.line, "'" + field + "' is not a number; " + std::string(expected), path);
  const double whole = std::trunc(*number);
  if (whole < 0 || whole > 255) return line_error(row.line, field + " is outside 0…255", path);
  fraction |= whole != *number;
  return static_cast<std::uint8_t>(whole);
}

}  // namespace hotpack::labels
