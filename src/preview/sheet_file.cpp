#include "preview/sheet_file.hpp"

#include <algorithm>
#include <string_view>

#include "base/checksum.hpp"
#include "base/try.hpp"
#include "codecs/png_writer.hpp"

namespace hotpack::preview {

namespace {

constexpr std::size_t kHeaderBytes = 8 + 25;  // signature and IHDR
// A text chunk: length, type, keyword and text, CRC.
constexpr std::string_view kMark(
    "\0\0\0\x18"
    "tEXt"
    "Software\0hotpack preview"
    "\xFA\x09\x4E\xA0",
    36);
static_assert(kSheetMarkBytes == kHeaderBytes + kMark.size());

}  // namespace

Result<std::vector<std::byte>> sheet_file(ConstPixels image) {
  HOTPACK_ASSIGN(std::vector<std::byte> png, codecs::encode_png(image));
  const auto mark = bytes_of(kMark);
  png.insert(png.begin() + kHeaderBytes, mark.begin(), mark.end());
  return png;
}

bool is_sheet_file(std::span<const std::byte> first_bytes) {
  const auto mark = bytes_of(kMark);
  return first_bytes.size() >= kSheetMarkBytes &&
         std::equal(mark.begin(), mark.end(), first_bytes.begin() + kHeaderBytes);
}

}  // namespace hotpack::preview
