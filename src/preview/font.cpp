#include "preview/font.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "preview/characters.hpp"
#include "preview/font_art.hpp"

namespace hotpack::preview {

namespace {

constexpr char32_t kEllipsis = 0x2026;
constexpr char32_t kDotlessI = 0x131;
constexpr int kMarkRows = 3;

using Glyphs = std::map<char32_t, Glyph>;

// A column of nothing but blanks ends a glyph.
void add_row(std::string_view line, int row, std::u32string_view characters, Glyphs& glyphs) {
  std::size_t at = 0;
  for (const char32_t character : characters) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    Glyph& glyph = glyphs[character];
    glyph.width = static_cast<int>(end - at);
    for (std::size_t x = at; x < end; ++x) {
      if (line[x] == '#') glyph.rows[static_cast<std::size_t>(row)] |= static_cast<std::uint16_t>(1U << (x - at));
    }
    at = end + 1;
  }
}

void add_block(const ArtBlock& block, int first_row, Glyphs& glyphs) {
  int row = first_row;
  for (const std::string_view line : lines_of(block.rows)) add_row(line, row++, block.characters, glyphs);
}

bool hangs_below(char32_t mark) { return mark >= 0x323; }

int first_inked_row(const Glyph& glyph) {
  const auto inked = std::find_if(glyph.rows.begin(), glyph.rows.end(), [](std::uint16_t row) { return row != 0; });
  return static_cast<int>(std::distance(glyph.rows.begin(), inked));
}

// The mark is centered over the letter; a wider mark widens it.
Glyph marked(const Glyph& base, const Glyph& mark, bool below) {
  Glyph glyph;
  glyph.width = std::max(base.width, mark.width);
  const int base_x = (glyph.width - base.width) / 2;
  const int mark_x = (glyph.width - mark.width) / 2;
  for (std::size_t y = 0; y < base.rows.size(); ++y) glyph.rows[y] = static_cast<std::uint16_t>(base.rows[y] << base_x);
  const int top = below ? kBaseline : std::max(first_inked_row(base) - kMarkRows, 0);
  for (int y = 0; y < kMarkRows; ++y) {
    const auto row = static_cast<std::size_t>(top) + static_cast<std::size_t>(y);
    glyph.rows[row] |= static_cast<std::uint16_t>(mark.rows[static_cast<std::size_t>(y)] << mark_x);
  }
  return glyph;
}

Glyphs make_glyphs() {
  Glyphs glyphs;
  for (const ArtBlock& block : kLetterArt) add_block(block, kGlyphTop, glyphs);
  Glyphs marks;
  add_block(kMarkArt, 0, marks);
  for (const MarkedLetters& letters : kMarkedLetters) {
    const Glyph& mark = marks.at(letters.mark);
    for (std::size_t i = 0; i < letters.composed.size(); ++i)
      glyphs[letters.composed[i]] = marked(glyphs.at(letters.bases[i]), mark, hangs_below(letters.mark));
  }
  return glyphs;
}

// The letter that `base` and the mark after it make.
std::optional<char32_t> joined(char32_t base, char32_t mark) {
  for (const MarkedLetters& letters : kMarkedLetters) {
    if (letters.mark != mark) continue;
    std::size_t at = letters.bases.find(base);
    if (at == std::u32string_view::npos && base == U'i') at = letters.bases.find(kDotlessI);
    if (at != std::u32string_view::npos) return letters.composed[at];
  }
  return std::nullopt;
}

// How many characters of the text make its next line: up to the last blank that fits, or as many as fit.
std::size_t line_length(std::u32string_view text, int columns) {
  std::size_t fitting = 1;
  while (fitting < text.size() && text_columns(text.substr(0, fitting + 1)) <= columns) ++fitting;
  if (fitting == text.size()) return fitting;
  const std::size_t blank = text.substr(0, fitting + 1).rfind(U' ');
  return blank == std::u32string_view::npos || blank == 0 ? fitting : blank;
}

// Digits of hexadecimal numbers, five rows of three dots each: bit 2 is the left one.
constexpr std::array<std::array<std::uint8_t, 5>, 16> kDigitArt = {{{7, 5, 5, 5, 7},
                                                                    {2, 6, 2, 2, 7},
                                                                    {7, 1, 7, 4, 7},
                                                                    {7, 1, 7, 1, 7},
                                                                    {5, 5, 7, 1, 1},
                                                                    {7, 4, 7, 1, 7},
                                                                    {7, 4, 7, 5, 7},
                                                                    {7, 1, 1, 1, 1},
                                                                    {7, 5, 7, 5, 7},
                                                                    {7, 5, 7, 1, 7},
                                                                    {2, 5, 7, 5, 5},
                                                                    {6, 5, 6, 5, 6},
                                                                    {3, 4, 4, 4, 3},
                                                                    {6, 5, 5, 5, 6},
                                                                    {7, 4, 6, 4, 7},
                                                                    {7, 4, 6, 4, 4}}};
constexpr int kDigitWidth = 3;
constexpr int kBoxRows = 15;

void put_digit(unsigned digit, int left, std::size_t top, Glyph& glyph) {
  for (const std::uint8_t dots : kDigitArt[digit]) {
    for (int x = 0; x < kDigitWidth; ++x)
      if ((unsigned{dots} >> (kDigitWidth - 1 - x) & 1U) != 0) glyph.rows[top] |= static_cast<std::uint16_t>(1U << (left + x));
    ++top;
  }
}

// A frame with the number of the character in two rows of one, two or three digits.
Glyph number_box(char32_t character) {
  const bool faulty = character >= kFaultyByte;
  const unsigned number = faulty ? character - kFaultyByte : character;
  const int columns = faulty ? 1 : number > 0xFFFF ? 3 : 2;
  Glyph glyph;
  glyph.width = columns * (kDigitWidth + 1) + 3;
  const auto edges = static_cast<std::uint16_t>(1U | 1U << (glyph.width - 1));
  for (std::size_t y = 0; y < kBoxRows; ++y) glyph.rows[y] = edges;
  glyph.rows[0] = glyph.rows[kBoxRows - 1] = static_cast<std::uint16_t>((1U << glyph.width) - 1);
  for (int i = 0; i < 2 * columns; ++i) {
    const unsigned digit = number >> (4 * (2 * columns - 1 - i)) & 15U;
    put_digit(digit, 2 + i % columns * (kDigitWidth + 1), i < columns ? 2 : 8, glyph);
  }
  return glyph;
}

}  // namespace

std::u32string drawn_text(std::string_view utf8) {
  std::u32string text;
  while (!utf8.empty()) {
    const auto [character, bytes] = first_character(utf8);
    utf8.remove_prefix(bytes);
    const auto letter = text.empty() ? std::nullopt : joined(text.back(), character);
    if (letter) {
      text.back() = *letter;
    } else {
      text += character;
    }
  }
  return text;
}

Glyph glyph_of(char32_t character) {
  static const Glyphs glyphs = make_glyphs();
  const auto found = glyphs.find(character);
  return found != glyphs.end() ? found->second : number_box(character);
}

int text_columns(std::u32string_view text) {
  int columns = 0;
  for (const char32_t character : text) columns += glyph_of(character).width + kLetterGap;
  return text.empty() ? 0 : columns - kLetterGap;
}

std::u32string shortened(std::u32string_view text, int columns) {
  if (text_columns(text) <= columns) return std::u32string(text);
  for (std::size_t kept = text.size() - 1; kept > 0; --kept) {
    const std::size_t tail = (kept + 1) / 2;
    std::u32string shorter(text.substr(0, kept - tail));
    shorter += kEllipsis;
    shorter += text.substr(text.size() - tail);
    if (text_columns(shorter) <= columns) return shorter;
  }
  return glyph_of(kEllipsis).width <= columns ? std::u32string(1, kEllipsis) : std::u32string();
}

std::vector<std::u32string> broken_into_lines(std::u32string_view text, int columns, std::size_t most) {
  std::vector<std::u32string> lines;
  while (!text.empty() && lines.size() < most) {
    const bool last = lines.size() + 1 == most;
    const std::size_t length = last ? text.size() : line_length(text, columns);
    lines.push_back(shortened(text.substr(0, length), columns));
    text.remove_prefix(length);
    text.remove_prefix(std::min(text.find_first_not_of(U' '), text.size()));
  }
  return lines;
}

}  // namespace hotpack::preview
