#include "cli/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

namespace hotpack::cli {

namespace {

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits).ptr;
  return {text.data(), end};
}

std::string two_digits(std::uint64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); }

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F; }

// Bytes of the first `count` characters.
std::size_t bytes_of_characters(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (is_continuation(text[at])) continue;
    if (count == 0) break;
    --count;
  }
  return at;
}

// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours.
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
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
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
  // 1023.95 would be printed as 1024.0.
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fixed(value, 1) + " " + kUnits[unit];
}

std::string human_count(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string human_duration(double seconds) {
  if (!(seconds > 0)) return "0 s";
  if (seconds < 0.995) return fixed(seconds, 2) + " s";
  if (seconds < 9.95) return fixed(seconds, 1) + " s";
  // Beyond a million days no one counts, and the conversion must fit.
  const auto whole = static_cast<std::uint64_t>(std::llround(std::min(seconds, 8.64e10)));
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + two_digits(whole % 60) + " s";
  if (whole < 86400) return std::to_string(whole / 3600) + " h " + two_digits(whole / 60 % 60) + " min";
  return std::to_string(whole / 86400) + " d " + two_digits(whole / 3600 % 24) + " h";
}

std::string human_rate(double per_second) {
  if (!(per_second > 0)) return "0";
  if (per_second < 0.995) return fixed(per_second, 2);
  if (per_second < 9.95) return fixed(per_second, 1);
  return human_count(static_cast<std::uint64_t>(std::llround(std::min(per_second, 1e18))));
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  std::string text = human_count(count) + " ";
  if (count == 1) return text.append(one);
  return many.empty() ? text.append(one).append("s") : text.append(many);
}

std::string printable(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string shown;
  shown.reserve(text.size());
  for (const char c : text) {
    if (!is_control(c)) {
      shown += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    shown += {'\\', 'x', kHex[byte / 16], kHex[byte % 16]};
  }
  return shown;
}

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string truncated(std::string_view text, std::size_t width) {
  if (text_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  return std::string(text.substr(0, bytes_of_characters(text, width - 1))) + "…";
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

std::optional<std::string> nearest_word(std::string_view word, std::span<const std::string> candidates) {
  std::optional<std::string> nearest;
  std::size_t least = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    const std::size_t allowed = std::max<std::size_t>(1, std::max(word.size(), candidate.size()) / 3);
    if (distance > allowed || (nearest && distance >= least)) continue;
    nearest = candidate;
    least = distance;
  }
  return nearest;
}

}  // namespace hotpack::cli
