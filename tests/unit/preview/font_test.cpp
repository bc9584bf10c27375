#include "preview/font.hpp"

#include <set>
#include <string>

#include "preview/characters.hpp"
#include "support/catch.hpp"

using namespace hotpack::preview;

namespace {

constexpr char32_t kBox = 0xFFFD;

bool same(const Glyph& a, const Glyph& b) { return a.width == b.width && a.rows == b.rows; }

}  // namespace

TEST_CASE("every ASCII character and Latin-1 letter has its own shape") {
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

TEST_CASE("missing, control and invalid characters are boxes with numbers") {
  const char32_t byte = kFaultyByte;
  CHECK(drawn_text("a\nb") == U"a\nb");
  CHECK(drawn_text("\xFF\xC3") == std::u32string{byte + 0xFF, byte + 0xC3});
  CHECK(drawn_text("\xE2\x82") == std::u32string{byte + 0xE2, byte + 0x82});
  CHECK(drawn_text("漢") == U"漢");
  std::u32string lacking = U"\n\t漢汉字Ябвгд😀😁عש";
  for (const unsigned b : {0x80u, 0xC3u, 0xFFu}) lacking += kFaultyByte + b;
  std::set<std::pair<int, decltype(Glyph::rows)>> shapes;
  for (const char32_t c : lacking) {
    CAPTURE(static_cast<std::uint32_t>(c));
    CHECK(glyph_of(c).width <= 16);
    CHECK_FALSE(same(glyph_of(c), glyph_of(kBox)));
    CHECK(shapes.emplace(glyph_of(c).width, glyph_of(c).rows).second);
  }
}

TEST_CASE("a character's number has four digits at least, an invalid byte's two") {
  CHECK(name_of(U'\n') == "U+000A");
  CHECK(name_of(0x202E) == "U+202E");
  CHECK(name_of(0x1F600) == "U+1F600");
  CHECK(name_of(kFaultyByte + 0x0F) == "byte 0F");
}

TEST_CASE("overlong forms, lone surrogates and values past Unicode are invalid") {
  for (const std::string_view text : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80"})
    CHECK(first_character(text).value >= kFaultyByte);
  CHECK(first_character("\xF0\x9F\x98\x80z").value == 0x1F600);
}

TEST_CASE("a letter with a combining mark is drawn as one letter") {
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

TEST_CASE("lines of a message fit and lose no word and the last one is shortened") {
  const std::u32string text = drawn_text("photo.png: the image is damaged: averylongwordwithoutanyblanktobreakitat the end");
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
