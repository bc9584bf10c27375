#include "preview/characters.hpp"

#include <algorithm>

namespace hotpack::preview {

namespace {

unsigned byte_at(std::string_view text, std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0; }

// Longer than need be, half of a surrogate pair, or beyond Unicode.
bool is_overlong_or_outside(char32_t character, std::size_t length) {
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  return character < kLeast[length] || character > 0x10FFFF || (character >= 0xD800 && character <= 0xDFFF);
}

}  // namespace

Character first_character(std::string_view utf8) {
  const unsigned lead = byte_at(utf8, 0);
  if (lead < 0x80) return {lead, 1};
  const Character faulty{kFaultyByte + lead, 1};
  if (lead < 0xC2 || lead > 0xF4) return faulty;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  char32_t character = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned next = byte_at(utf8, i);
    if ((next & 0xC0U) != 0x80) return faulty;
    character = character << 6 | (next & 0x3FU);
  }
  return is_overlong_or_outside(character, length) ? faulty : Character{character, length};
}

bool is_hidden(char32_t character) {
  struct Range {
    char32_t first, last;
  };
  // U+200C and U+200D join letters and emoji.
  constexpr Range kHidden[] = {{0x00, 0x1F},
                               {0x7F, 0x9F},
                               {0xAD, 0xAD},
                               {0x61C, 0x61C},
                               {0x180E, 0x180E},
                               {0x200B, 0x200B},
                               {0x200E, 0x200F},
                               {0x2028, 0x202E},
                               {0x2060, 0x206F},
                               {0xFEFF, 0xFEFF},
                               {0xFFF9, 0xFFFB},
                               {0xE0000, 0xE007F},
                               {kFaultyByte, kFaultyByte + 0xFF}};
  return std::any_of(std::begin(kHidden), std::end(kHidden),
                     [character](const Range& range) { return range.first <= character && character <= range.last; });
}

std::string name_of(char32_t character) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const bool faulty = character >= kFaultyByte;
  const unsigned value = faulty ? character - kFaultyByte : character;
  const int least = faulty ? 2 : 4;
  std::string digits;
  for (unsigned rest = value; rest > 0 || digits.size() < static_cast<std::size_t>(least); rest /= 16)
    digits.insert(digits.begin(), kDigits[rest % 16]);
  return (faulty ? "byte " : "U+") + digits;
}

}  // namespace hotpack::preview
