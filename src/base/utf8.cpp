#include "base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace hotpack {

namespace {

// Returns how many bytes a character has that starts with this byte; 0 if none does.
std::size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

// In ascending order.
constexpr std::array<std::array<char32_t, 2>, 13> kDeceptive{{
    {0, 0x1F},           // controls
    {0x7F, 0x9F},        // more controls
    {0xAD, 0xAD},        // soft hyphen
    {0x61C, 0x61C},      // Arabic letter mark
    {0x180E, 0x180E},    // Mongolian vowel separator
    {0x200B, 0x200B},    // space without width
    {0x200E, 0x200F},    // direction marks
    {0x2028, 0x202E},    // ends of lines and paragraphs, embeddings, overrides
    {0x2060, 0x206F},    // word joiner, invisible operators, isolates
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFF9, 0xFFFB},    // annotations
    {0xE0000, 0xE007F},  // tags
    {kFaultyByte, kFaultyByte + 0xFF},
}};

}  // namespace

Character first_character(std::string_view utf8) {
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const auto first = static_cast<unsigned char>(utf8.front());
  const Character faulty{kFaultyByte + first, 1};
  const std::size_t bytes = length_of(first);
  if (bytes == 0 || bytes > utf8.size()) return faulty;
  char32_t value = bytes == 1 ? first : first & (0x7FU >> bytes);
  for (const char c : utf8.substr(1, bytes - 1)) {
    const auto next = static_cast<unsigned char>(c);
    if ((next & 0xC0U) != 0x80U) return faulty;
    value = (value << 6U) | (next & 0x3FU);
  }
  const bool valid =
      value >= kLeast[bytes] && value < kFaultyByte && (value < 0xD800 || value > 0xDFFF);
  return valid ? Character{value, bytes} : faulty;
}

std::optional<std::size_t> first_faulty_byte(std::string_view text) {
  const auto is_plain = [](char c) { return static_cast<signed char>(c) >= 0; };
  if (std::all_of(text.begin(), text.end(), is_plain)) return std::nullopt;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = first_character(text.substr(at));
    if (character.is_faulty()) return at;
    at += character.bytes;
  }
  return std::nullopt;
}

bool is_utf8(std::string_view text) { return !first_faulty_byte(text); }

std::string beginning_of(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return std::string(text.substr(0, most)) + "…";
}

bool is_deceptive(char32_t character) {
  return std::any_of(kDeceptive.begin(), kDeceptive.end(), [character](const auto& range) {
    return character >= range[0] && character <= range[1];
  });
}

std::optional<char32_t> deceptive_character(std::string_view text) {
  while (!text.empty()) {
    const Character character = first_character(text);
    if (is_deceptive(character.value)) return character.value;
    text.remove_prefix(character.bytes);
  }
  return std::nullopt;
}

std::string name_of_character(char32_t character) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const bool faulty = character >= kFaultyByte;
  const std::size_t least = faulty ? 2 : 4;
  std::string digits;
  for (auto rest = static_cast<std::uint32_t>(faulty ? character - kFaultyByte : character);
       rest > 0 || digits.size() < least; rest /= 16)
    digits.insert(digits.begin(), kDigits[rest % 16]);
  return (faulty ? "byte " : "U+") + digits;
}

}  // namespace hotpack
