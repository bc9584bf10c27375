#include "base/shell_word.hpp"

#include <cstdint>
#include <cstdio>
#include <string_view>

namespace hotpack {

namespace {

struct Character {
  std::uint32_t point = 0;
  std::size_t bytes = 0;  // 0: not UTF-8
};

// Returns how many bytes a UTF-8 character has that starts with the byte `first`; 0 if no character
// starts with this byte.
std::size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

Character first_character(std::string_view text) {
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t bytes = length_of(first);
  if (bytes == 0 || bytes > text.size()) return {};
  std::uint32_t point = bytes == 1 ? first : first & (0x7FU >> bytes);
  for (const char c : text.substr(1, bytes - 1)) {
    const auto next = static_cast<unsigned char>(c);
    if ((next & 0xC0U) != 0x80U) return {};
    point = (point << 6U) | (next & 0x3FU);
  }
  const bool valid =
      point >= kLeast[bytes] && point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
  return valid ? Character{point, bytes} : Character{};
}

// Characters that move the cursor, or that hide, turn or break the text next to them.
bool is_deceptive(std::uint32_t point) {
  const auto within = [point](std::uint32_t first, std::uint32_t last) {
    return point >= first && point <= last;
  };
  return point < 0x20 || within(0x7F, 0x9F) || point == 0x61C || within(0x200E, 0x200F) ||
         within(0x2028, 0x202E) || within(0x2066, 0x2069) || point == 0xFEFF ||
         within(0xFFF9, 0xFFFB);
}

bool is_printable(std::string_view text) {
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.bytes == 0 || is_deceptive(character.point)) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

// Quotes a word as $'…', with octal numbers, as bash, zsh and POSIX 2024 read it.
std::string numbered_word(const std::string& word) {
  std::string quoted = "$'";
  for (const char c : word) {
    const bool plain = c >= ' ' && c <= '~' && c != '\'' && c != '\\';
    char octal[5];
    std::snprintf(octal, sizeof octal, "\\%03o",
                  static_cast<unsigned>(static_cast<unsigned char>(c)));
    quoted += plain ? std::string(1, c) : octal;
  }
  return quoted + "'";
}

}  // namespace

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:@%,";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  if (!is_printable(word)) return numbered_word(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_path(const std::string& path) {
  return shell_word(path.starts_with('-') ? "./" + path : path);
}

}  // namespace hotpack
