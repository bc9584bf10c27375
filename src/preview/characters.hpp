// UTF-8 text as characters, and those that must not be shown as they are.
//
// Pure functions; thread-safe. Nothing fails: a byte that begins no character is one of its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hotpack::preview {

// Stands for the byte b that is no UTF-8: kFaultyByte + b, beyond every character of Unicode.
inline constexpr char32_t kFaultyByte = 0x110000;

struct Character {
  char32_t value = 0;
  std::size_t bytes = 1;
};
// The text is not empty.
[[nodiscard]] Character first_character(std::string_view utf8);

// Control characters, marks that turn the direction of text around, and spaces without width: they
// would change how text around them looks, or nobody would see them. Joiners (U+200C, U+200D) are
// not hidden: letters and emoji need them.
[[nodiscard]] bool is_hidden(char32_t character);

// "U+202E", or "byte FF".
[[nodiscard]] std::string name_of(char32_t character);

}  // namespace hotpack::preview
