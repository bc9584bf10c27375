#include "preview/font.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "preview/characters.hpp"
#include "support/catch.hpp"

using namespace hotpack::preview;

namespace {

constexpr int kSize = 16;

using Shape = std::pair<int, std::vector<std::uint8_t>>;

Shape shape_of(Font& font, char32_t character) {
  const Glyph& glyph = font.glyph(character, kSize);
  return {glyph.width, glyph.coverage};
}

// A box has ink all along its upper edge.
bool is_box(Font& font, char32_t character) {
  const Glyph& glyph = font.glyph(character, kSize);
  const auto edge = glyph.coverage.begin() + glyph.width;
  return glyph.width > 0 &&
         std::all_of(glyph.coverage.begin(), edge, [](std::uint8_t ink) { return ink == 255; });
}

}  // namespace

TEST_CASE("Latin, Greek and Cyrillic letters have shapes of their own") {
  Font font;
  std::u32string characters = U"ÀÉÎõüÇşŁœßăğőťẾệΩαβγδεζηθλμξπρςστφχψωάήЯбвгджийклмнптфцчшщъыьэюяєґ";
  for (char32_t c = U' '; c <= U'~'; ++c) characters += c;
  std::set<Shape> shapes;
  for (const char32_t c : characters) {
    CAPTURE(static_cast<std::uint32_t>(c));
    CHECK_FALSE(is_box(font, c));
    CHECK(shapes.insert(shape_of(font, c)).second);
  }
}

TEST_CASE("lacking, hidden and invalid characters are boxes with numbers") {
  Font font;
  const char32_t byte = kFaultyByte;
  CHECK(drawn_text("a\nb") == U"a\nb");
  CHECK(drawn_text("\xFF\xC3") == std::u32string{byte + 0xFF, byte + 0xC3});
  CHECK(drawn_text("\xE2\x82") == std::u32string{byte + 0xE2, byte + 0x82});
  // Without a glyph; control, direction, right to left; spaces that would not be seen.
  std::u32string boxes = U"漢汉字\U0001F9FF\n\t\u202E\u2066عשא\u00A0\u200B\u200D\u3000\uFE0F";
  for (const unsigned b : {0x80u, 0xC3u, 0xFFu}) boxes += kFaultyByte + b;
  std::set<Shape> shapes;
  for (const char32_t c : boxes) {
    CAPTURE(static_cast<std::uint32_t>(c));
    CHECK(is_box(font, c));
    CHECK(shapes.insert(shape_of(font, c)).second);
  }
}

TEST_CASE("control characters and direction marks are hidden, joiners are not") {
  for (const char32_t c : std::vector<char32_t>{
           0x00,   0x0A,   0x0D,   0x1F,    0x7F,    0x9F,    0xAD,    0x61C,  0x180E,
           0x200B, 0x200E, 0x200F, 0x2028,  0x202E,  0x2060,  0x2064,  0x2066, 0x206F,
           0xFEFF, 0xFFF9, 0xFFFB, 0xE0001, 0xE0041, 0xE007F, 0x1100FF}) {
    CAPTURE(static_cast<std::uint32_t>(c));
    CHECK(is_hidden(c));
  }
  for (const char32_t c :
       std::vector<char32_t>{0x20, 0x41, 0x200C, 0x200D, 0x301, 0x600, 0x6DD, 0x4E2D, 0x1F600}) {
    CAPTURE(static_cast<std::uint32_t>(c));
    CHECK_FALSE(is_hidden(c));
  }
}

TEST_CASE("a character's number has four digits at least, an invalid byte's two") {
  CHECK(name_of(U'\n') == "U+000A");
  CHECK(name_of(0x202E) == "U+202E");
  CHECK(name_of(0x1F600) == "U+1F600");
  CHECK(name_of(kFaultyByte + 0x0F) == "byte 0F");
}

TEST_CASE("overlong forms, lone surrogates and values past Unicode are invalid") {
  for (const std::string_view text :
       {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80"})
    CHECK(first_character(text).value >= kFaultyByte);
  CHECK(first_character("\xF0\x9F\x98\x80z").value == 0x1F600);
  CHECK(first_character(std::string_view("\0a", 2)).bytes == 1);
}

TEST_CASE("a letter with a combining mark is drawn as one letter") {
  CHECK(drawn_text("Cafe\u0301 u\u0308ber i\u0302le \u0438\u0306") == U"Café über île й");
  CHECK(drawn_text("x\u0301") == U"x\u0301");  // not a letter of Unicode: the mark is drawn over it
  CHECK(drawn_text("\xFF\u0301") == std::u32string{kFaultyByte + 0xFF, U'\u0301'});
}

TEST_CASE("a text that is too wide keeps its beginning and its end") {
  Font font;
  const std::u32string text = drawn_text("leftImg8bit/train/aachen/aachen_000173_000019");
  const std::u32string shorter = font.shortened(text, kSize, 200);
  CHECK(font.width(shorter, kSize) <= 200);
  CHECK(shorter.starts_with(U"leftImg"));
  CHECK(shorter.ends_with(U"000019"));
  CHECK(shorter.find(U'…') != std::u32string::npos);
  CHECK(font.shortened(text, kSize, 10000) == text);
  CHECK(font.shortened(text, kSize, 0).empty());
}

TEST_CASE("lines of a message fit and lose no word and the last one is shortened") {
  Font font;
  const std::u32string text = drawn_text(
      "photo.png: the image is damaged: averylongwordwithoutanyblanktobreakitat the end");
  std::u32string joined;
  for (const std::u32string& line : font.broken_into_lines(text, kSize, 130, 100)) {
    CHECK(font.width(line, kSize) <= 130);
    joined += line;
  }
  std::u32string wanted = text;
  std::erase(wanted, U' ');
  std::erase(joined, U' ');
  CHECK(joined == wanted);
  const auto two = font.broken_into_lines(text, kSize, 130, 2);
  REQUIRE(two.size() == 2);
  CHECK(two.back().find(U'…') != std::u32string::npos);
}

TEST_CASE("sizes have glyphs of their own") {
  Font font;
  CHECK(font.width(U"street", 32) > 3 * font.width(U"street", 16) / 2);
  CHECK(font.width(U"street", 16) > 16);
}
