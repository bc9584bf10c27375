#include "codecs/png_header.hpp"

#include <zlib.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::codecs {
namespace {

// Signature, then length, "IHDR", width, height, five bytes, CRC-32.
constexpr std::size_t kLengthAt = 8;
constexpr std::size_t kTypeAt = 12;
constexpr std::size_t kWidthAt = 16;
constexpr std::size_t kHeightAt = 20;
constexpr std::size_t kDepthAt = 24;
constexpr std::size_t kColorTypeAt = 25;
constexpr std::size_t kCrcAt = 29;
constexpr std::size_t kHeaderEnd = 33;
constexpr std::uint32_t kIhdrLength = 13;
constexpr std::uint32_t kIhdrType = 0x49484452;  // "IHDR"

std::uint32_t u8(std::span<const std::byte> bytes, std::size_t at) { return std::to_integer<std::uint32_t>(bytes[at]); }

std::uint32_t big_endian_u32(std::span<const std::byte> bytes, std::size_t at) {
  return u8(bytes, at) << 24 | u8(bytes, at + 1) << 16 | u8(bytes, at + 2) << 8 | u8(bytes, at + 3);
}

bool checksum_holds(std::span<const std::byte> bytes) {
  const auto* covered = reinterpret_cast<const Bytef*>(bytes.data() + kTypeAt);
  return crc32(0, covered, kCrcAt - kTypeAt) == big_endian_u32(bytes, kCrcAt);
}

Status check_side(const char* name, std::uint32_t pixels) {
  if (pixels >= 1 && pixels <= static_cast<std::uint32_t>(kMaxSide)) return {};
  return data_error("the PNG header gives a " + std::string(name) + " of " + std::to_string(pixels) + "; supported are 1 to " +
                    std::to_string(kMaxSide));
}

std::optional<PixelKind> kind_of(std::uint32_t color_type, std::uint32_t depth) {
  const bool whole_bytes = depth == 8 || depth == 16;
  const bool packed = depth == 1 || depth == 2 || depth == 4;
  switch (color_type) {
    case 0:
      return whole_bytes || packed ? std::optional(PixelKind::gray) : std::nullopt;
    case 2:
      return whole_bytes ? std::optional(PixelKind::rgb) : std::nullopt;
    case 3:
      return depth == 8 || packed ? std::optional(PixelKind::palette) : std::nullopt;
    case 4:
      return whole_bytes ? std::optional(PixelKind::gray_alpha) : std::nullopt;
    case 6:
      return whole_bytes ? std::optional(PixelKind::rgba) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<Probe> probe_png(std::span<const std::byte> bytes, bool complete) {
  if (bytes.size() < kHeaderEnd) {
    if (complete) return data_error("the PNG is truncated: it ends inside its header");
    return Probe{.info = {}, .need_more = true};
  }
  if (big_endian_u32(bytes, kLengthAt) != kIhdrLength || big_endian_u32(bytes, kTypeAt) != kIhdrType) {
    return data_error("the PNG is damaged: it does not begin with an IHDR chunk of 13 bytes");
  }
  if (!checksum_holds(bytes)) return data_error("the PNG is damaged: the checksum of its header is wrong");
  const std::uint32_t width = big_endian_u32(bytes, kWidthAt);
  const std::uint32_t height = big_endian_u32(bytes, kHeightAt);
  HOTPACK_TRY(check_side("width", width));
  HOTPACK_TRY(check_side("height", height));
  const std::uint32_t depth = u8(bytes, kDepthAt);
  const std::uint32_t color_type = u8(bytes, kColorTypeAt);
  const auto kind = kind_of(color_type, depth);
  if (!kind) {
    return data_error("the PNG is damaged: colour type " + std::to_string(color_type) + " with " + std::to_string(depth) +
                      " bits a sample does not exist");
  }
  return Probe{.info = {.format = FileFormat::png,
                        .width = static_cast<int>(width),
                        .height = static_cast<int>(height),
                        .kind = *kind,
                        .bit_depth = static_cast<int>(depth)},
               .need_more = false};
}

}  // namespace hotpack::codecs
