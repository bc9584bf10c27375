#include "codecs/decode_memory.hpp"

namespace hotpack::codecs {
namespace {

std::uint64_t pixels_of(const ImageInfo& info) {
  return static_cast<std::uint64_t>(info.width) * static_cast<std::uint64_t>(info.height);
}

std::uint64_t channels_of(PixelKind kind) {
  switch (kind) {
    case PixelKind::gray:
    case PixelKind::palette:
      return 1;
    case PixelKind::gray_alpha:
      return 2;
    case PixelKind::rgb:
      return 3;
    case PixelKind::rgba:
    case PixelKind::cmyk:
    case PixelKind::ycck:
      break;
  }
  return 4;
}

// Returns the bytes that a codec holds next to its result: for a JPEG of several scans its
// coefficients, for an interlaced PNG its rows of `row_samples` bytes per pixel, and on the fast
// path for plain PNGs the joined data and the inflated rows.
std::uint64_t held_by_codec(std::uint64_t file_bytes, const ImageInfo& info, bool plain,
                            std::uint64_t row_samples) {
  const std::uint64_t samples = channels_of(info.kind), pixels = pixels_of(info);
  if (info.format == FileFormat::jpeg) return info.multi_pass ? 2 * samples * pixels : 0;
  if (info.multi_pass) return row_samples * pixels;
  return plain && info.bit_depth == 8 ? samples * pixels + file_bytes : 0;
}

}  // namespace

std::uint64_t image_memory(std::uint64_t file_bytes, const ImageInfo& info,
                           const ImageOptions& options) {
  const bool turned = options.apply_orientation && info.orientation != 1;
  const auto divisor = info.format == FileFormat::jpeg
                           ? static_cast<std::uint64_t>(options.jpeg_denominator)
                           : std::uint64_t{1};
  const auto channels = static_cast<std::uint64_t>(options.channels);
  const std::uint64_t result = pixels_of(info) / (divisor * divisor) * channels * (turned ? 2 : 1);
  const bool blends = options.blend && info.has_alpha, indexed = info.kind == PixelKind::palette;
  const std::uint64_t opaque = channels_of(info.kind) < 3 ? 1 : 3;
  // Rows that need no conversion are read into the result.
  const bool direct = !blends && !indexed && opaque == channels;
  const std::uint64_t row_samples = direct ? 0 : indexed ? 1 : blends ? 4 : opaque;
  return result + held_by_codec(file_bytes, info, direct, row_samples);
}

std::uint64_t label_memory(std::uint64_t file_bytes, const ImageInfo& info) {
  const std::uint64_t channels = channels_of(info.kind);
  // Labels of samples are read as 8 bits, then become 16 bits.
  const bool wide = info.bit_depth == 16;
  const std::uint64_t result = channels >= 3 ? (wide ? 6 : 3) : wide ? 2 : 3;
  const bool plain = info.kind == PixelKind::gray || info.kind == PixelKind::rgb ||
                     info.kind == PixelKind::palette;
  const std::uint64_t row_samples = channels * (wide ? 2 : 1);
  return pixels_of(info) * result + held_by_codec(file_bytes, info, plain, row_samples);
}

}  // namespace hotpack::codecs
