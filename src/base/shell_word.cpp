#include "base/shell_word.hpp"

#include <cstdio>
#include <string_view>

#include "base/utf8.hpp"

namespace hotpack {

namespace {

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
  if (deceptive_character(word)) return numbered_word(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_path(const std::string& path) {
  return shell_word(path.starts_with('-') ? "./" + path : path);
}

}  // namespace hotpack
