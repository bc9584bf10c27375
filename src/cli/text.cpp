#include "cli/text.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/text.hpp"

namespace hotpack::cli {

namespace {

std::string two_digits(std::uint64_t value) {
  return (value < 10 ? "0" : "") + std::to_string(value);
}

constexpr char kNoBreak =
    '\x1f';  // stands for a space that wrapped() must not break at; never printed

struct Character {
  utf8proc_int32_t point = -1;  // −1: a byte that is not UTF-8
  std::size_t bytes = 1;
};

Character first_character(std::string_view text) {
  Character found;
  const auto* const bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const utf8proc_ssize_t used =
      utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &found.point);
  if (used <= 0) return {};
  found.bytes = static_cast<std::size_t>(used);
  return found;
}

std::size_t columns_of(Character character) {
  if (character.point < 0 || character.point == kNoBreak) return 1;
  return static_cast<std::size_t>(std::max(0, utf8proc_charwidth(character.point)));
}

// True for characters that hide, reverse or break the text around them.
bool is_deceptive(utf8proc_int32_t point) {
  const auto within = [point](utf8proc_int32_t first, utf8proc_int32_t last) {
    return point >= first && point <= last;
  };
  return within(0x7F, 0x9F) || point == 0x61C || within(0x200E, 0x200F) || within(0x2028, 0x202E) ||
         within(0x2066, 0x2069) || point == 0xFEFF || within(0xFFF9, 0xFFFB);
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
  if (character.point < 0) return escaped_byte(text.front());
  if (character.point < 0x20 && character.point != '\n' && character.point != '\t')
    return escaped_byte(text.front());
  if (is_deceptive(character.point))
    return "\\u" + hex(static_cast<std::uint32_t>(character.point), 4);
  return std::string(text.substr(0, character.bytes));
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

// Counts insertions, deletions, substitutions and swaps of neighbors (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_before;
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_before = before;
    before = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min(
          {before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
  }
  return row[b.size()];
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

// Returns the only candidate that begins with the word, such as "--partition" for "--part".
std::optional<std::string> completed_word(std::string_view word,
                                          std::span<const std::string> candidates) {
  constexpr std::size_t kLeast = 3;  // letters; fewer begin words by chance
  const std::size_t dashes = std::min(word.find_first_not_of('-'), word.size());
  if (word.size() - dashes < kLeast) return std::nullopt;
  std::optional<std::string> found;
  for (const std::string& candidate : candidates) {
    if (!candidate.starts_with(word)) continue;
    if (found) return std::nullopt;
    found = candidate;
  }
  return found;
}

std::optional<std::string> nearest_word(std::string_view word,
                                        std::span<const std::string> candidates) {
  if (auto longer = completed_word(word, candidates)) return longer;
  std::optional<std::string> nearest;
  std::size_t least = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    const std::size_t allowed =
        std::max<std::size_t>(1, std::max(word.size(), candidate.size()) / 3);
    if (distance > allowed || (nearest && distance >= least)) continue;
    nearest = candidate;
    least = distance;
  }
  return nearest;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  const auto nearest = nearest_word(word, candidates);
  return nearest ? "; did you mean '" + *nearest + "'?" : "";
}

}  // namespace hotpack::cli
