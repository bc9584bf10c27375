// The bytes of the font for text on sheets. They exist as long as the program. Only files of this
// folder include this header.
// The font's license permits this use; the license notice is in the font's own tables.
#pragma once

#include <cstddef>
#include <span>

namespace hotpack::preview {

// Returns the content of a TrueType file: that of DejaVu Sans, or of the file that HOTPACK_FONT
// named when hotpack was built.
[[nodiscard]] std::span<const std::byte> font_file();

}  // namespace hotpack::preview
