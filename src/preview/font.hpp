// The letters of sheets: DejaVu Sans, which is part of the program, drawn by FreeType with smooth
// edges.
//
// A character that the font lacks, that must not be drawn as it is (control characters, marks that
// turn the direction of text) or that would not show (spaces of no or unusual width) is a box with
// its number, as is a byte that is no UTF-8. Letters of right-to-left scripts are boxes too: drawn
// one by one from the left they would read backwards. Letters of different scripts may look alike.
//
// Ownership: a Font owns its FreeType face and the glyphs it has drawn; a glyph lives as long as
// its font. Not thread-safe. Failure: std::bad_alloc, where there is no memory. Sizes are pixels
// per em.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hotpack::preview {

struct Glyph {
  int left = 0, top = 0;  // of its ink: right of the pen, above the baseline
  int width = 0, height = 0;
  int advance = 0;  // from here to the next letter's pen
  std::vector<std::uint8_t>
      coverage;  // width · height: how much of each pixel is ink, 255 for all of it
};

// From one line's top to the next one's, and from a line's top to its baseline.
[[nodiscard]] constexpr int line_height(int size) { return (7 * size + 4) / 5; }
[[nodiscard]] constexpr int baseline(int size) { return (11 * size + 9) / 10; }

// Characters as they are drawn: decoded, marks joined to their letters, faulty bytes as kFaultyByte
// + byte.
[[nodiscard]] std::u32string drawn_text(std::string_view utf8);

class Font {
 public:
  Font();
  ~Font();
  Font(Font&&) noexcept;
  Font& operator=(Font&&) noexcept;

  [[nodiscard]] const Glyph& glyph(char32_t character, int size);

  // Pixels that the text takes.
  [[nodiscard]] int width(std::u32string_view text, int size);

  // The text, or where it is wider than `pixels` its beginning and end with "…" between them: keys
  // differ at their ends as a rule. Empty where not even the ellipsis fits.
  [[nodiscard]] std::u32string shortened(std::u32string_view text, int size, int pixels);

  // The text in lines of at most `pixels`, broken at blanks, in long words anywhere; the last of
  // `most` lines is shortened.
  [[nodiscard]] std::vector<std::u32string> broken_into_lines(std::u32string_view text, int size,
                                                              int pixels, std::size_t most);

 private:
  [[nodiscard]] Glyph drawn(char32_t character, int size);
  [[nodiscard]] Glyph number_box(char32_t character, int size);
  [[nodiscard]] std::size_t line_length(std::u32string_view text, int size, int pixels);

  struct Face;
  std::unique_ptr<Face> face_;
  std::map<std::pair<int, char32_t>, Glyph> glyphs_;
};

}  // namespace hotpack::preview
