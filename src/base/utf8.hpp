// Characters of UTF-8 text, and those that must not be printed or drawn as they are.
//
// Pure functions; thread-safe. Failure: none; a byte that begins no valid character counts as a
// character of its own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hotpack {

// kFaultyByte + b stands for a byte b that is not UTF-8. The sum is beyond every Unicode character.
inline constexpr char32_t kFaultyByte = 0x110000;

struct Character {
  char32_t value = 0;
  std::size_t bytes = 1;
  [[nodiscard]] bool is_faulty() const { return value >= kFaultyByte; }
};
// Returns the first character (RFC 3629: no overlong form, no surrogate, at most U+10FFFF).
// Precondition: the text is not empty.
[[nodiscard]] Character first_character(std::string_view utf8);

// The position of the first byte that is not UTF-8; absent if there is none. Fast for plain ASCII.
[[nodiscard]] std::optional<std::size_t> first_faulty_byte(std::string_view text);
[[nodiscard]] bool is_utf8(std::string_view text);

// Returns the first characters of a text, of at most `most` bytes, and "…" if there are more.
[[nodiscard]] std::string beginning_of(std::string_view text, std::size_t most);

// Returns true for characters that are invisible, or that hide, turn or break the text next to
// them: control characters, direction marks, isolates, separators of lines, spaces without width,
// tags, and faulty bytes. Returns false for joiners (U+200C, U+200D), which letters and emoji need.
[[nodiscard]] bool is_deceptive(char32_t character);
// The first deceptive character of a text; absent if there is none.
[[nodiscard]] std::optional<char32_t> deceptive_character(std::string_view text);

// Returns the character's name: "U+202E" or, for a faulty byte, "byte FF".
[[nodiscard]] std::string name_of_character(char32_t character);

}  // namespace hotpack
