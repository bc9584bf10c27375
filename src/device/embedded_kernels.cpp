// The kernels that src/cmake/HotpackCuda.cmake compiled, as bytes of this library.
#include "device/kernel_modules.hpp"

#if defined(HOTPACK_IMAGE_KERNELS_FATBIN) && defined(HOTPACK_LABEL_KERNELS_FATBIN)

// The assembler copies the file into this library. The driver requires an alignment of 8 bytes.
#define HOTPACK_EMBED(name, file)                     \
  asm(".pushsection .rodata.hotpack_kernels, \"a\"\n" \
      ".balign 64\n"                                  \
      ".global hotpack_" name                         \
      "_begin\n"                                      \
      ".hidden hotpack_" name                         \
      "_begin\n"                                      \
      "hotpack_" name                                 \
      "_begin:\n"                                     \
      ".incbin \"" file                               \
      "\"\n"                                          \
      ".global hotpack_" name                         \
      "_end\n"                                        \
      ".hidden hotpack_" name                         \
      "_end\n"                                        \
      "hotpack_" name                                 \
      "_end:\n"                                       \
      ".popsection\n")

HOTPACK_EMBED("image_kernels", HOTPACK_IMAGE_KERNELS_FATBIN);
HOTPACK_EMBED("label_kernels", HOTPACK_LABEL_KERNELS_FATBIN);

extern "C" {
__attribute__((visibility("hidden"))) extern const std::byte hotpack_image_kernels_begin[];
__attribute__((visibility("hidden"))) extern const std::byte hotpack_image_kernels_end[];
__attribute__((visibility("hidden"))) extern const std::byte hotpack_label_kernels_begin[];
__attribute__((visibility("hidden"))) extern const std::byte hotpack_label_kernels_end[];
}

namespace hotpack::device {

KernelImages embedded_kernels() {
  return {{"hotpack_image_", std::span(hotpack_image_kernels_begin, hotpack_image_kernels_end)},
          {"hotpack_label_", std::span(hotpack_label_kernels_begin, hotpack_label_kernels_end)}};
}

}  // namespace hotpack::device

#else

namespace hotpack::device {

KernelImages embedded_kernels() { return {}; }

}  // namespace hotpack::device

#endif

namespace hotpack::device {

std::string embedded_kernels_text() { return HOTPACK_KERNELS_TEXT; }

}  // namespace hotpack::device
