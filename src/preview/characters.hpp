// Splits UTF-8 text into characters, and finds characters that must not be drawn as they are.
//
// Pure functions; thread-safe. Failure: none; a byte that begins no valid character counts as a
// character of its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hotpack::preview {

// kFaultyByte + b stands for a byte b that is not UTF-8. The sum is beyond every Unicode character.
inline constexpr char32_t kFaultyByte = 0x110000;

struct Character {
  char32_t value = 0;
  std::size_t bytes = 1;
};
// Precondition: the text is not empty.
[[nodiscard]] Character first_character(std::string_view utf8);

// Returns true for characters that would be invisible, or would change how the text around them
// looks: control characters, marks that change the direction of text, and spaces without width.
// Returns false for joiners (U+200C, U+200D), which letters and emoji need.
[[nodiscard]] bool is_hidden(char32_t character);

// Returns the character's name: "U+202E" or, for a faulty byte, "byte FF".
[[nodiscard]] std::string name_of(char32_t character);

}  // namespace hotpack::preview
