#include "codecs/png_header.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/try.hpp"
#include "codecs/exif.hpp"
#include "codecs/png_chunks.hpp"

namespace hotpack::codecs {
namespace {

// Offsets in the data of the IHDR chunk.
constexpr std::size_t kHeightAt = 4;
constexpr std::size_t kDepthAt = 8;
constexpr std::size_t kColorTypeAt = 9;
constexpr std::size_t kInterlaceAt = 12;
constexpr std::size_t kIhdrBytes = 13;

Status check_side(const char* name, std::uint32_t pixels) {
  if (pixels >= 1 && pixels <= static_cast<std::uint32_t>(kMaxSide)) return {};
  return data_error("the PNG header gives a " + std::string(name) + " of " +
                    std::to_string(pixels) + " pixels; it must be from 1 to " +
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

Result<ImageInfo> read_ihdr(const PngChunk& chunk) {
  const std::byte* data = chunk.data.data();
  const std::uint32_t width = load_be32(data), height = load_be32(data + kHeightAt);
  HOTPACK_TRY(check_side("width", width));
  HOTPACK_TRY(check_side("height", height));
  const auto depth = std::to_integer<std::uint32_t>(data[kDepthAt]);
  const auto color_type = std::to_integer<std::uint32_t>(data[kColorTypeAt]);
  const auto kind = kind_of(color_type, depth);
  if (!kind) {
    return data_error("the PNG is damaged: color type " + std::to_string(color_type) + " with " +
                      std::to_string(depth) + " bits per sample does not exist");
  }
  return ImageInfo{.format = FileFormat::png,
                   .width = static_cast<int>(width),
                   .height = static_cast<int>(height),
                   .kind = *kind,
                   .bit_depth = static_cast<int>(depth),
                   .has_alpha = *kind == PixelKind::gray_alpha || *kind == PixelKind::rgba,
                   .multi_pass = data[kInterlaceAt] != std::byte{0}};
}

// Goes from chunk to chunk over a prefix of the file.
class ChunkWalk {
 public:
  ChunkWalk(std::span<const std::byte> bytes, bool complete) : bytes_(bytes), complete_(complete) {}

  Result<Probe> run() {
    const auto type = png_chunk_type(bytes_, at_);
    if (type && (*type != "IHDR" || load_be32(bytes_.data() + at_) != kIhdrBytes)) {
      return data_error("the PNG is damaged: it does not begin with an IHDR chunk of 13 bytes");
    }
    const auto ihdr = png_chunk(bytes_, at_);
    if (!ihdr) return give_up("it ends inside its header");
    if (!ihdr->checksum_holds())
      return data_error("the PNG is damaged: the checksum of its header is wrong");
    HOTPACK_ASSIGN(info_, read_ihdr(*ihdr));
    at_ = ihdr->end;
    return go_to_pixels();
  }

 private:
  Result<Probe> go_to_pixels() {
    for (;;) {
      const auto type = png_chunk_type(bytes_, at_);
      if (type == "IDAT") return finish();
      if (type == "IEND") return data_error("the PNG is damaged: it has no pixels (no IDAT chunk)");
      const auto chunk = png_chunk(bytes_, at_);
      if (!chunk) return give_up("it ends before its pixels");
      note(*chunk);
      at_ = chunk->end;
    }
  }

  void note(const PngChunk& chunk) {
    if (chunk.type == "tRNS") info_.has_alpha = true;
    if (chunk.type == "PLTE") info_.palette_hash = xxh3_64(chunk.data);
    if (chunk.type == "iCCP") info_.has_icc = true;
    if (chunk.type == "acTL" && chunk.data.size() >= 4) frames_ = load_be32(chunk.data.data());
    if (chunk.type == "fcTL") pixels_are_a_frame_ = true;
    if (chunk.type == "eXIf" && !exif_seen_ && chunk.checksum_holds()) {
      exif_seen_ = true;
      info_.orientation = tiff_orientation(chunk.data);
    }
  }

  // In an animation, the image itself is the first frame only if an fcTL chunk comes before it.
  Probe finish() {
    info_.more_images = frames_ > (pixels_are_a_frame_ ? 1U : 0U);
    return {.info = info_, .need_more = false};
  }

  Result<Probe> give_up(const char* where) const {
    if (complete_) return data_error(std::string("the PNG is damaged or truncated: ") + where);
    return Probe{.info = {}, .need_more = true};
  }

  std::span<const std::byte> bytes_;
  bool complete_;
  std::size_t at_ = kPngSignatureBytes;
  ImageInfo info_;
  bool exif_seen_ = false;
  std::uint32_t frames_ = 0;
  bool pixels_are_a_frame_ = false;
};

}  // namespace

Result<Probe> probe_png(std::span<const std::byte> bytes, bool complete) {
  return ChunkWalk(bytes, complete).run();
}

}  // namespace hotpack::codecs
