// Draws text on sheets with FreeType, with smooth edges. The font is DejaVu Sans; it is part of the
// program.
//
// Some characters are drawn as a box with their number:
//   - those that the font lacks, and bytes that are not UTF-8
//   - those that must not be drawn as they are: control characters, marks that change the direction
//     of text
//   - spaces of no or unusual width, which nobody would see
//   - letters of right-to-left scripts: drawn one by one from the left, they would read backwards
// Letters of different scripts may look alike.
//
// Ownership: a Font owns its FreeType face and the glyphs it has drawn; a glyph lives as long as
// its font. Not thread-safe. Failure: std::bad_alloc. Sizes are in pixels per em.
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
  int left = 0, top = 0;  // left edge, to the right of the pen; upper edge, above the baseline
  int width = 0, height = 0;
  int advance = 0;  // distance from the pen to the next letter's pen
  std::vector<std::uint8_t>
      coverage;  // width · height values: how much of each pixel the letter covers; 255: all of it
};

// The distances from the top of a line to the top of the next one, and to its own baseline.
[[nodiscard]] constexpr int line_height(int size) { return (7 * size + 4) / 5; }
[[nodiscard]] constexpr int baseline(int size) { return (11 * size + 9) / 10; }

// Returns the characters of a UTF-8 text as they are drawn. Marks are combined with their letters;
// a byte that is not UTF-8 becomes the number kFaultyByte + byte.
[[nodiscard]] std::u32string drawn_text(std::string_view utf8);

class Font {
 public:
  Font();
  ~Font();
  Font(Font&&) noexcept;
  Font& operator=(Font&&) noexcept;

  [[nodiscard]] const Glyph& glyph(char32_t character, int size);

  // Returns the width of the text in pixels.
  [[nodiscard]] int width(std::u32string_view text, int size);

  // Returns the text if it is at most `pixels` wide. Otherwise returns its beginning and its end
  // with "…" between them, because keys usually differ at their ends. Returns "" if not even "…"
  // fits.
  [[nodiscard]] std::u32string shortened(std::u32string_view text, int size, int pixels);

  // Returns the text as lines that are at most `pixels` wide. Breaks it at spaces or, if a word is
  // too long, inside the word. Returns at most `most` lines; if the text needs more, the last line
  // is shortened.
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
