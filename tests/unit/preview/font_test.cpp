#include "preview/font.hpp"

#include <set>
#include <string>

#include "support/catch.hpp"

using namespace hotpack::preview;

namespace {

constexpr char32_t kBox = 0xFFFD;

bool same(const Glyph& a, const Glyph& b) { return a.width == b.width && a.rows == b.rows; }

}  // namespace

TEST_CASE("every character of ASCII and every letter of Latin-1 has a shape of its own") {
  std::u32string characters;
  for (char32_t c = U' '; c <= U'~'; ++c) characters += c;
  for (char32_t c = 0xC0; c <= 0xFF; ++c) {
    if (c != 0xF7) characters += c;  // ÷ is no letter
  }
  std::set<std::pair<int, decltype(Glyph::rows)>> shapes;
  for (const char32_t c : characters) {
    CAPTURE(static_cast<std::uint32_t>(c));
    CHECK_FALSE(same(glyph_of(c), glyph_of(kBox)));
    CHECK(glyph_of(c).width <= 16);
    CHECK(shapes.emplace(glyph_of(c).width, glyph_of(c).rows).second);
  }
}

TEST_CASE("characters that the font lacks, control characters and bytes that are no UTF-8 are boxes") {
  CHECK(same(glyph_of(U'漢'), glyph_of(kBox)));
  CHECK(drawn_text("a\nb") == U"a\uFFFDb");
  CHECK(drawn_text("\xFF\xC3") == U"\uFFFD\uFFFD");
  CHECK(drawn_text("\xE2\x82") == U"\uFFFD\uFFFD");
  CHECK(drawn_text("漢") == U"漢");
}

TEST_CASE("a letter and a combining mark are drawn as the one letter that they make") {
  CHECK(drawn_text("Cafe\u0301 u\u0308ber i\u0302le") == U"Café über île");
  CHECK(drawn_text("x\u0301") == U"x\u0301");  // no letter of the font
}

TEST_CASE("a text that is too wide keeps its beginning and its end") {
  const std::u32string text = drawn_text("leftImg8bit/train/aachen/aachen_000173_000019");
  const std::u32string shorter = shortened(text, 150);
  CHECK(text_columns(shorter) <= 150);
  CHECK(shorter.starts_with(U"leftImg"));
  CHECK(shorter.ends_with(U"000019"));
  CHECK(shorter.find(U'…') != std::u32string::npos);
  CHECK(shortened(text, 10000) == text);
  CHECK(shortened(text, 0).empty());
}

TEST_CASE("lines of a message fit and lose no word; the last one is shortened") {
  const std::u32string text = drawn_text("photo.png: the picture is damaged: averylongwordwithoutanyblanktobreakitat the end");
  std::u32string joined;
  for (const std::u32string& line : broken_into_lines(text, 90, 100)) {
    CHECK(text_columns(line) <= 90);
    joined += line;
  }
  std::u32string wanted = text;
  std::erase(wanted, U' ');
  std::erase(joined, U' ');
  CHECK(joined == wanted);
  const auto two = broken_into_lines(text, 90, 2);
  REQUIRE(two.size() == 2);
  CHECK(two.back().find(U'…') != std::u32string::npos);
}
