#include "preview/sheet_file.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/checksum.hpp"
#include "base/try.hpp"
#include "codecs/png_writer.hpp"

namespace hotpack::preview {

namespace {

constexpr std::size_t kHeaderBytes = 8 + 25;  // signature and IHDR
// Type and data of the text chunk.
constexpr std::string_view kMark("tEXtSoftware\0hotpack preview", 28);
constexpr std::size_t kTypeBytes = 4;
static_assert(kSheetMarkBytes == kHeaderBytes + 4 + kMark.size() + 4);

// CRC-32 of ISO 3309, as PNG has it; the chunk is short, so bit by bit will do.
std::uint32_t png_crc(std::string_view text) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0);
  }
  return ~crc;
}

void append_u32(std::uint32_t value, std::vector<std::byte>& out) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::byte>(value >> shift));
}

std::vector<std::byte> mark_chunk() {
  std::vector<std::byte> chunk;
  append_u32(static_cast<std::uint32_t>(kMark.size() - kTypeBytes), chunk);
  const auto bytes = bytes_of(kMark);
  chunk.insert(chunk.end(), bytes.begin(), bytes.end());
  append_u32(png_crc(kMark), chunk);
  return chunk;
}

}  // namespace

Result<std::vector<std::byte>> sheet_file(ConstPixels image) {
  HOTPACK_ASSIGN(std::vector<std::byte> png, codecs::encode_png(image));
  const std::vector<std::byte> chunk = mark_chunk();
  png.insert(png.begin() + kHeaderBytes, chunk.begin(), chunk.end());
  return png;
}

bool is_sheet_file(std::span<const std::byte> first_bytes) {
  if (first_bytes.size() < kSheetMarkBytes) return false;
  const std::vector<std::byte> chunk = mark_chunk();
  return std::equal(chunk.begin(), chunk.end(), first_bytes.begin() + kHeaderBytes);
}

}  // namespace hotpack::preview
