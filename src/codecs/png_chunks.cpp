#include "codecs/png_chunks.hpp"

#include <libdeflate.h>

#include "base/checked.hpp"

namespace hotpack::codecs {
namespace {

constexpr std::size_t kTypeAt = 4;
constexpr std::size_t kDataAt = 8;
constexpr std::size_t kFrame = 12;  // bytes of a chunk's length, type and checksum

}  // namespace

std::uint32_t load_be32(const std::byte* at) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | std::to_integer<std::uint32_t>(at[i]);
  return value;
}

bool PngChunk::checksum_holds() const {
  return libdeflate_crc32(0, type.data(), type.size() + data.size()) ==
         load_be32(data.data() + data.size());
}

std::optional<std::string_view> png_chunk_type(std::span<const std::byte> bytes, std::size_t at) {
  if (!range_fits(at, kDataAt, bytes.size())) return std::nullopt;
  return std::string_view(reinterpret_cast<const char*>(bytes.data() + at + kTypeAt), 4);
}

std::optional<PngChunk> png_chunk(std::span<const std::byte> bytes, std::size_t at) {
  const auto type = png_chunk_type(bytes, at);
  if (!type) return std::nullopt;
  const std::size_t length = load_be32(bytes.data() + at);
  if (!range_fits(at, std::uint64_t{length} + kFrame, bytes.size())) return std::nullopt;
  return PngChunk{*type, bytes.subspan(at + kDataAt, length), at + length + kFrame};
}

}  // namespace hotpack::codecs
