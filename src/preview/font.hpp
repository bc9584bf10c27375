// The letters that sheets are written with: hotpack's own bitmap font, proportional, so that text looks the same everywhere.
//
// It has ASCII, the letters of Latin-1 and most of Latin Extended-A, and a few signs; any other character, control characters and bytes
// that are no UTF-8 are drawn as boxes with their numbers in them, so that different keys never look the same. A letter and a combining
// mark after it (names of files from some systems) become one. Pure functions; thread-safe; nothing fails.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hotpack::preview {

inline constexpr int kGlyphRows = 16;   // 3 above capitals for accents, 10 to the baseline, 3 below
inline constexpr int kGlyphTop = 3;     // the first row of a capital
inline constexpr int kBaseline = 13;    // the first row below a capital
inline constexpr int kLetterGap = 1;    // columns between two letters
inline constexpr int kLineHeight = 18;  // from one line's top to the next one's

struct Glyph {
  int width = 0;
  std::array<std::uint16_t, kGlyphRows> rows{};  // bit x is column x
};

// Characters as they are drawn: decoded, marks joined to their letters, faulty bytes as kFaultyByte + byte.
[[nodiscard]] std::u32string drawn_text(std::string_view utf8);

[[nodiscard]] Glyph glyph_of(char32_t character);

// Columns of the text at scale 1.
[[nodiscard]] int text_columns(std::u32string_view text);

// The text, or where it is wider than `columns` its beginning and end with "…" between them: keys differ at their ends as a rule. Empty
// where not even the ellipsis fits.
[[nodiscard]] std::u32string shortened(std::u32string_view text, int columns);

// The text in lines of at most `columns`, broken at blanks, in long words anywhere; the last of `most` lines is shortened.
[[nodiscard]] std::vector<std::u32string> broken_into_lines(std::u32string_view text, int columns, std::size_t most);

}  // namespace hotpack::preview
