// Makes the font file that CMake found a part of this library.
#include "preview/font_data.hpp"

// The assembler copies the bytes of the file.
#ifdef __APPLE__
#define HOTPACK_SYMBOL(name) "_" name
#define HOTPACK_SECTION ".section __DATA,__const\n"
#define HOTPACK_SECTION_END ".text\n"
#else
#define HOTPACK_SYMBOL(name) name
#define HOTPACK_SECTION ".pushsection .rodata.hotpack_font, \"a\"\n"
#define HOTPACK_SECTION_END ".popsection\n"
#endif

// clang-format off
asm(HOTPACK_SECTION
    ".globl " HOTPACK_SYMBOL("hotpack_font_begin") "\n"
    HOTPACK_SYMBOL("hotpack_font_begin") ":\n"
    ".incbin \"" HOTPACK_FONT_FILE "\"\n"
    ".globl " HOTPACK_SYMBOL("hotpack_font_end") "\n"
    HOTPACK_SYMBOL("hotpack_font_end") ":\n"
    HOTPACK_SECTION_END);
// clang-format on

extern "C" {
__attribute__((visibility("hidden"))) extern const std::byte hotpack_font_begin[];
__attribute__((visibility("hidden"))) extern const std::byte hotpack_font_end[];
}

namespace hotpack::preview {

std::span<const std::byte> font_file() { return {hotpack_font_begin, hotpack_font_end}; }

}  // namespace hotpack::preview
