#include "cli/text.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hotpack::cli {

namespace {

std::string two_digits(std::uint64_t value) {
  return (value < 10 ? "0" : "") + std::to_string(value);
}

constexpr char kNoBreak =
    '\x1f';  // stands for a space that wrapped() must not break at; never printed

std::size_t columns_of(Character character) {
  if (character.is_faulty() || character.value == kNoBreak) return 1;
  const auto value = static_cast<utf8proc_int32_t>(character.value);
  return static_cast<std::size_t>(std::max(0, utf8proc_charwidth(value)));
}

std::string hex(std::uint32_t value, int digits) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    text += kHex[(value >> static_cast<unsigned>(shift)) & 15U];
  return text;
}

std::string escaped_byte(char byte) { return "\\x" + hex(static_cast<unsigned char>(byte), 2); }

std::string escaped_character(std::string_view text, Character character) {
  const char32_t value = character.value;
  if (!is_deceptive(value) || value == '\n' || value == '\t')
    return std::string(text.substr(0, character.bytes));
  if (character.is_faulty() || value < 0x20) return escaped_byte(text.front());
  return value > 0xFFFF ? "\\U" + hex(value, 8) : "\\u" + hex(value, 4);
}

// Returns how many bytes the longest beginning of `text` has that fits into `columns`. It includes
// marks that combine with its last character.
std::size_t bytes_of_columns(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  while (at < text.size()) {
    const Character character = first_character(text.substr(at));
    const std::size_t needed = columns_of(character);
    if (needed > columns) break;
    columns -= needed;
    at += character.bytes;
  }
  return at;
}

struct Hang {
  std::size_t bytes = 0;   // of the line, before its text
  std::size_t column = 0;  // where the continuation lines begin
};

// A line that is too long is broken. Returns where its continuation lines begin: below TEXT if the
// line has the form "name   TEXT". If it has another form, or if TEXT begins beyond the middle, two
// columns after the beginning of the line.
Hang hang_of(std::string_view line, std::size_t columns) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", begin);
  const std::size_t text = gap == std::string_view::npos ? gap : line.find_first_not_of(' ', gap);
  if (text == std::string_view::npos) return {begin, begin + 2};
  const std::size_t column = text_width(line.substr(0, text));
  return column <= columns / 2 ? Hang{text, column} : Hang{begin, begin + 2};
}

std::string fitted_line(std::string_view line, std::size_t columns) {
  if (columns == 0 || text_width(line) <= columns) return std::string(line);
  const Hang hang = hang_of(line, columns);
  const std::string_view text = line.substr(hang.bytes);
  if (text.starts_with("hotpack ")) return std::string(line);
  const std::size_t room = columns > hang.column ? columns - hang.column : 1;
  return std::string(line.substr(0, hang.bytes)) + wrapped(text, room, hang.column);
}

}  // namespace

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.95 would be printed as "1024.0".
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fixed_text(value, 1) + " " + kUnits[unit];
}

std::string human_duration(double seconds) {
  if (!(seconds > 0)) return "0 s";
  if (seconds < 0.995) return fixed_text(seconds, 2) + " s";
  if (seconds < 9.95) return fixed_text(seconds, 1) + " s";
  // At most a million days, so that the conversion cannot overflow.
  const auto whole = static_cast<std::uint64_t>(std::llround(std::min(seconds, 8.64e10)));
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + two_digits(whole % 60) + " s";
  if (whole < 86400)
    return std::to_string(whole / 3600) + " h " + two_digits(whole / 60 % 60) + " min";
  return std::to_string(whole / 86400) + " d " + two_digits(whole / 3600 % 24) + " h";
}

std::string human_rate(double per_second) {
  if (!(per_second > 0)) return "0";
  if (per_second < 0.995) return fixed_text(per_second, 2);
  if (per_second < 9.95) return fixed_text(per_second, 1);
  return number_text(static_cast<std::uint64_t>(std::llround(std::min(per_second, 1e18))));
}

std::string percent_of(std::uint64_t part, std::uint64_t whole) {
  return percent_text(static_cast<double>(part) /
                      static_cast<double>(std::max<std::uint64_t>(1, whole)));
}

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    shown += escaped_character(text, character);
    text.remove_prefix(character.bytes);
  }
  return shown;
}

std::string printable_name(std::string_view name) {
  std::string shown;
  for (const char c : printable(name)) {
    if (c == '\n' || c == '\t')
      shown += c == '\n' ? "\\n" : "\\t";
    else
      shown += c;
  }
  return shown;
}

std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    width += columns_of(character);
    text.remove_prefix(character.bytes);
  }
  return width;
}

std::string truncated(std::string_view text, std::size_t width) {
  if (text_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  return std::string(text.substr(0, bytes_of_columns(text, width - 1))) + "…";
}

std::string unbroken(std::string text) {
  std::replace(text.begin(), text.end(), ' ', kNoBreak);
  return text;
}

std::string with_spaces(std::string text) {
  std::replace(text.begin(), text.end(), kNoBreak, ' ');
  return text;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t column = 0;  // 0: no word on this line yet
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    const bool ends_line = end < text.size() && text[end] == '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t needed = text_width(word) + (column > 0 ? 1 : 0);
    if (column > 0 && column + needed > width) {
      out.erase(out.find_last_not_of(' ') + 1);
      out.append("\n").append(indent, ' ').append(word);
      column = text_width(word);
    } else {
      out.append(column > 0 ? " " : "").append(word);
      column += needed;
    }
    if (!ends_line) continue;
    out.append("\n").append(indent, ' ');
    column = 0;
  }
  return out;
}

std::string fitted(std::string_view lines, std::size_t columns) {
  std::string out;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    out += fitted_line(lines.substr(0, end), columns);
    if (end < lines.size()) out += '\n';
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out;
}

std::string laid_out(std::string_view text, std::size_t columns) {
  std::string shown;
  while (true) {
    const std::size_t end = std::min(text.find(kNoBreak), text.size());
    shown += printable(text.substr(0, end));
    if (end == text.size()) break;
    shown += kNoBreak;
    text.remove_prefix(end + 1);
  }
  return with_spaces(fitted(shown, columns));
}

}  // namespace hotpack::cli
