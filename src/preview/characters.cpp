#include "preview/characters.hpp"

#include <utf8proc.h>

namespace hotpack::preview {

Character first_character(std::string_view utf8) {
  utf8proc_int32_t point = 0;
  const auto* const bytes = reinterpret_cast<const utf8proc_uint8_t*>(utf8.data());
  const utf8proc_ssize_t used =
      utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(utf8.size()), &point);
  if (used < 1) return {kFaultyByte + static_cast<unsigned char>(utf8.front()), 1};
  return {static_cast<char32_t>(point), static_cast<std::size_t>(used)};
}

bool is_hidden(char32_t character) {
  if (character >= kFaultyByte) return true;
  const bool is_tag = character >= 0xE0000 && character <= 0xE007F;
  switch (utf8proc_get_property(static_cast<utf8proc_int32_t>(character))->boundclass) {
    case UTF8PROC_BOUNDCLASS_CONTROL:
    case UTF8PROC_BOUNDCLASS_CR:
    case UTF8PROC_BOUNDCLASS_LF:
      return true;
    default:
      return is_tag;
  }
}

std::string name_of(char32_t character) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const bool faulty = character >= kFaultyByte;
  const unsigned value = faulty ? character - kFaultyByte : character;
  const int least = faulty ? 2 : 4;
  std::string digits;
  for (unsigned rest = value; rest > 0 || digits.size() < static_cast<std::size_t>(least);
       rest /= 16)
    digits.insert(digits.begin(), kDigits[rest % 16]);
  return (faulty ? "byte " : "U+") + digits;
}

}  // namespace hotpack::preview
