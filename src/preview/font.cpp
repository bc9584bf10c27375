#include "preview/font.hpp"

#include <freetype/freetype.h>
#include <utf8proc.h>

#include <algorithm>
#include <new>

#include "base/utf8.hpp"
#include "preview/font_data.hpp"

namespace hotpack::preview {

namespace {

constexpr char32_t kEllipsis = 0x2026;

// Throws std::bad_alloc for an error of FreeType. The font is part of the program, so the only
// possible error is a lack of memory.
void check(FT_Error error) {
  if (error != 0) throw std::bad_alloc();
}

bool is_right_to_left(char32_t character) {
  const auto bidi_class =
      utf8proc_get_property(static_cast<utf8proc_int32_t>(character))->bidi_class;
  return bidi_class == UTF8PROC_BIDI_CLASS_R || bidi_class == UTF8PROC_BIDI_CLASS_AL;
}

// Returns the single character that `base` and the mark after it form; 0 if there is none.
char32_t joined(char32_t base, char32_t mark) {
  if (base >= kFaultyByte || mark >= kFaultyByte) return 0;
  utf8proc_int32_t pair[] = {static_cast<utf8proc_int32_t>(base),
                             static_cast<utf8proc_int32_t>(mark)};
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
  return utf8proc_normalize_utf32(pair, 2, options) == 1 ? static_cast<char32_t>(pair[0]) : 0;
}

Glyph copy_of(const FT_GlyphSlotRec& slot) {
  const FT_Bitmap& bitmap = slot.bitmap;
  Glyph glyph{slot.bitmap_left,
              slot.bitmap_top,
              static_cast<int>(bitmap.width),
              static_cast<int>(bitmap.rows),
              static_cast<int>((slot.advance.x + 32) / 64),
              {}};
  for (unsigned y = 0; y < bitmap.rows; ++y) {
    const std::uint8_t* row = bitmap.buffer + static_cast<std::ptrdiff_t>(y) * bitmap.pitch;
    glyph.coverage.insert(glyph.coverage.end(), row, row + bitmap.width);
  }
  return glyph;
}

// Draws a rectangular outline, centered in the height of a line.
Glyph frame_glyph(int width, int height, int size, int thickness) {
  Glyph glyph{thickness,
              baseline(size) - (line_height(size) - height) / 2,
              width,
              height,
              width + 2 * thickness,
              {}};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool edge = std::min({x, y, width - 1 - x, height - 1 - y}) < thickness;
      glyph.coverage.push_back(edge ? 255 : 0);
    }
  }
  return glyph;
}

// Draws `ink` over `glyph`, with the upper left corner of `ink` at x, y.
void lay_over(const Glyph& ink, int x, int y, Glyph& glyph) {
  const int left = std::max(0, -x), right = std::min(ink.width, glyph.width - x);
  for (int row = std::max(0, -y); row < std::min(ink.height, glyph.height - y); ++row) {
    const std::uint8_t* from = ink.coverage.data() + row * ink.width;
    std::uint8_t* out = glyph.coverage.data() + (y + row) * glyph.width + x;
    for (int column = left; column < right; ++column)
      out[column] = std::max(out[column], from[column]);
  }
}

}  // namespace

struct Font::Face {
  FT_Library library = nullptr;
  FT_Face face = nullptr;
  Face() {
    check(FT_Init_FreeType(&library));
    const auto file = font_file();
    const auto* const bytes = reinterpret_cast<const FT_Byte*>(file.data());
    const FT_Error error =
        FT_New_Memory_Face(library, bytes, static_cast<FT_Long>(file.size()), 0, &face);
    if (error != 0) FT_Done_FreeType(library);
    check(error);
  }
  ~Face() { FT_Done_FreeType(library); }
  Face(const Face&) = delete;
  Face& operator=(const Face&) = delete;
};

Font::Font() : face_(std::make_unique<Face>()) {}
Font::~Font() = default;
Font::Font(Font&&) noexcept = default;
Font& Font::operator=(Font&&) noexcept = default;

const Glyph& Font::glyph(char32_t character, int size) {
  const auto found = glyphs_.find({size, character});
  if (found != glyphs_.end()) return found->second;
  return glyphs_.emplace(std::pair(size, character), drawn(character, size)).first->second;
}

Glyph Font::drawn(char32_t character, int size) {
  const FT_Face face = face_->face;
  const bool as_it_is =
      character < kFaultyByte && !is_deceptive(character) && !is_right_to_left(character);
  const FT_UInt index = as_it_is ? FT_Get_Char_Index(face, character) : 0;
  if (index == 0) return number_box(character, size);
  check(FT_Set_Pixel_Sizes(face, 0, static_cast<FT_UInt>(size)));
  check(FT_Load_Glyph(face, index, FT_LOAD_RENDER | FT_LOAD_TARGET_LIGHT | FT_LOAD_NO_BITMAP));
  Glyph glyph = copy_of(*face->glyph);
  const bool shows = !glyph.coverage.empty() || character == U' ';
  return shows ? glyph : number_box(character, size);
}

// Draws a box with the hexadecimal number of the character, in two rows of one to three digits.
Glyph Font::number_box(char32_t character, int size) {
  const bool faulty = character >= kFaultyByte;
  const unsigned number = faulty ? character - kFaultyByte : character;
  const int columns = faulty ? 1 : number > 0xFFFF ? 3 : 2;
  const int digit_size = std::max(8, size * 11 / 20), thickness = std::max(1, size / 16),
            gap = std::max(1, size / 12);
  const int step_x = digit_size * 3 / 4, digit_height = digit_size * 3 / 4,
            step_y = digit_height + gap, edge = thickness + gap;
  Glyph box =
      frame_glyph(columns * step_x + 2 * edge, 2 * step_y - gap + 2 * edge, size, thickness);
  for (int i = 0; i < 2 * columns; ++i) {
    const unsigned value = number >> (4 * (2 * columns - 1 - i)) & 15U;
    const char32_t character_of_digit = U"0123456789ABCDEF"[value];
    // Skip a digit that the font lacks: glyph() would call number_box() for it, without end.
    if (FT_Get_Char_Index(face_->face, character_of_digit) == 0) continue;
    const Glyph& digit = glyph(character_of_digit, digit_size);
    const int x = edge + i % columns * step_x + (step_x - digit.width) / 2,
              y = edge + i / columns * step_y + digit_height - digit.height;
    lay_over(digit, x, y, box);
  }
  return box;
}

int Font::width(std::u32string_view text, int size) {
  int pixels = 0;
  for (const char32_t character : text) pixels += glyph(character, size).advance;
  return pixels;
}

std::u32string Font::shortened(std::u32string_view text, int size, int pixels) {
  if (width(text, size) <= pixels) return std::u32string(text);
  for (std::size_t kept = text.size() - 1; kept > 0; --kept) {
    const std::size_t tail = (kept + 1) / 2;
    std::u32string shorter(text.substr(0, kept - tail));
    shorter += kEllipsis;
    shorter += text.substr(text.size() - tail);
    if (width(shorter, size) <= pixels) return shorter;
  }
  return glyph(kEllipsis, size).advance <= pixels ? std::u32string(1, kEllipsis) : std::u32string();
}

// Returns how many characters of the text go on the next line, which has `pixels` pixels: up to the
// last space that fits or, if there is none, as many as fit.
std::size_t Font::line_length(std::u32string_view text, int size, int pixels) {
  std::size_t fitting = 1;
  while (fitting < text.size() && width(text.substr(0, fitting + 1), size) <= pixels) ++fitting;
  if (fitting == text.size()) return fitting;
  const std::size_t blank = text.substr(0, fitting + 1).rfind(U' ');
  return blank == std::u32string_view::npos || blank == 0 ? fitting : blank;
}

std::vector<std::u32string> Font::broken_into_lines(std::u32string_view text, int size, int pixels,
                                                    std::size_t most) {
  std::vector<std::u32string> lines;
  while (!text.empty() && lines.size() < most) {
    const bool last = lines.size() + 1 == most;
    const std::size_t length = last ? text.size() : line_length(text, size, pixels);
    lines.push_back(shortened(text.substr(0, length), size, pixels));
    text.remove_prefix(length);
    text.remove_prefix(std::min(text.find_first_not_of(U' '), text.size()));
  }
  return lines;
}

std::u32string drawn_text(std::string_view utf8) {
  std::u32string text;
  while (!utf8.empty()) {
    const auto [character, bytes] = first_character(utf8);
    utf8.remove_prefix(bytes);
    const char32_t letter = text.empty() ? 0 : joined(text.back(), character);
    if (letter != 0) {
      text.back() = letter;
    } else {
      text += character;
    }
  }
  return text;
}

}  // namespace hotpack::preview
