#include "preview/font.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "base/utf8.hpp"
#include "support/catch.hpp"

using namespace hotpack;
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
