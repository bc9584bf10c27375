#include "base/utf8.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

using namespace hotpack;

TEST_CASE("characters of one to four bytes are decoded") {
  const auto value = [](std::string_view text) { return first_character(text).value; };
  CHECK(value("a") == U'a');
  CHECK(value("é") == U'é');
  CHECK(value("€uro") == U'€');
  CHECK(value("🙂") == U'🙂');
  CHECK(value("\xF4\x8F\xBF\xBF") == 0x10FFFF);
  CHECK(first_character("€uro").bytes == 3);
  CHECK(first_character(std::string_view("\0", 1)).value == 0);
}

TEST_CASE("bytes that begin no valid character are faulty") {
  for (const std::string_view text :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3(", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xE2\x82",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    INFO(name_of_character(kFaultyByte + static_cast<unsigned char>(text.front())));
    CHECK(first_character(text).is_faulty());
    CHECK(first_character(text).bytes == 1);
    CHECK_FALSE(is_utf8(text));
    CHECK(first_faulty_byte("größe" + std::string(text)) == 7);
  }
  CHECK(is_utf8(""));
  CHECK(is_utf8("plain"));
  CHECK(is_utf8("größe €🙂"));
}

TEST_CASE("controls, direction marks and tags are deceptive, joiners are not") {
  for (const char32_t c : std::vector<char32_t>{
           0x00,   0x0A,   0x0D,   0x1F,    0x7F,    0x9F,    0xAD,    0x61C,  0x180E,
           0x200B, 0x200E, 0x200F, 0x2028,  0x202E,  0x2060,  0x2064,  0x2066, 0x206F,
           0xFEFF, 0xFFF9, 0xFFFB, 0xE0001, 0xE0041, 0xE007F, 0x1100FF}) {
    INFO(name_of_character(c));
    CHECK(is_deceptive(c));
  }
  for (const char32_t c :
       std::vector<char32_t>{0x20, 0x41, 0x200C, 0x200D, 0x301, 0x600, 0x6DD, 0x4E2D, 0x1F600}) {
    INFO(name_of_character(c));
    CHECK_FALSE(is_deceptive(c));
  }
}

TEST_CASE("the first deceptive character of a text is found") {
  CHECK(deceptive_character("größe\u202Egnp\u2066") == 0x202E);
  CHECK(deceptive_character("gr\xF6") == kFaultyByte + 0xF6);
  CHECK_FALSE(deceptive_character("größe 中 👩‍🚀"));
  CHECK_FALSE(deceptive_character(""));
}

TEST_CASE("characters are named by number") {
  CHECK(name_of_character(U'\n') == "U+000A");
  CHECK(name_of_character(0x202E) == "U+202E");
  CHECK(name_of_character(0xE0067) == "U+E0067");
  CHECK(name_of_character(kFaultyByte + 0x0A) == "byte 0A");
  CHECK(name_of_character(kFaultyByte + 0xFF) == "byte FF");
}

TEST_CASE("the beginning of a text ends between characters") {
  CHECK(beginning_of("", 0).empty());
  CHECK(beginning_of("abc", 3) == "abc");
  CHECK(beginning_of("abcd", 3) == "abc…");
  CHECK(beginning_of("aé", 2) == "a…");
  CHECK(beginning_of("é", 2) == "é");
  CHECK(beginning_of("\U0001F6E3x", 3) == "…");
}
