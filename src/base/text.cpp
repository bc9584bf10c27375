#include "base/text.hpp"

#include <algorithm>
#include <charconv>

namespace hotpack {

std::string number_text(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string fixed_text(double value, int digits) {
  std::array<char, 400> text{};  // the largest double has 309 digits before the point
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits)
          .ptr;
  return {text.data(), end};
}

std::string percent_text(double share, int digits) {
  return fixed_text(100 * share, digits) + " %";
}

std::string color_text(const std::array<std::uint8_t, 3>& color) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "#";
  for (const std::uint8_t value : color) text += {kDigits[value / 16], kDigits[value % 16]};
  return text;
}

std::optional<std::array<std::uint8_t, 3>> hex_color(std::string_view text) {
  std::array<std::uint8_t, 3> color{};
  if (text.size() != 7 || text.front() != '#') return std::nullopt;
  for (std::size_t i = 0; i < color.size(); ++i) {
    const char* const begin = text.data() + 1 + 2 * i;
    const auto [end, error] = std::from_chars(begin, begin + 2, color[i], 16);
    if (error != std::errc() || end != begin + 2) return std::nullopt;
  }
  return color;
}

std::string counted_text(std::uint64_t count, std::string_view one, std::string_view many) {
  std::string text = number_text(count) + " ";
  if (count == 1) return text.append(one);
  return many.empty() ? text.append(one).append("s") : text.append(many);
}

std::string share_text(std::uint64_t count, std::uint64_t of, std::string_view one,
                       std::string_view many) {
  if (of <= 1) return counted_text(count, one, many);
  if (count == of) return "all " + counted_text(of, one, many);
  return number_text(count) + " of " + counted_text(of, one, many);
}

std::string joined_text(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text.append(i > 0 ? separator : "").append(words[i]);
  return text;
}

std::string list_text(const std::vector<std::string>& words, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, words.size()); ++i)
    text += (i > 0 ? ", " : "") + words[i];
  return words.size() > most ? text + ", …" : text;
}

std::string quoted_text(std::string_view name) { return "'" + std::string(name) + "'"; }

std::string quoted_list_text(const std::vector<std::string>& words, std::size_t most) {
  std::vector<std::string> quoted;
  quoted.reserve(words.size());
  for (const std::string& word : words) quoted.push_back(quoted_text(word));
  return list_text(quoted, most);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace hotpack
