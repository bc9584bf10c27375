// The bytes of the font that text is drawn with. Inside this room only; they live as long as the
// program. The font's license permits this; its notice is in the font's own tables.
#pragma once

#include <cstddef>
#include <span>

namespace hotpack::preview {

// A TrueType file: DejaVu Sans, unless HOTPACK_FONT named another one when hotpack was built.
[[nodiscard]] std::span<const std::byte> font_file();

}  // namespace hotpack::preview
