// What an image file says about itself before its pixels are decoded. Content decides, never the file's extension.
//
// Pure functions over bytes; thread-safe. Errors have code `data`; the caller adds the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "hotpack/result.hpp"

namespace hotpack::codecs {

enum class FileFormat { png, jpeg, other };
[[nodiscard]] FileFormat sniff(std::span<const std::byte> first_bytes);
[[nodiscard]] std::string_view format_name(FileFormat format);  // "PNG", "JPEG", "unknown"

enum class PixelKind { gray, gray_alpha, rgb, rgba, palette, cmyk, ycck };
[[nodiscard]] std::string_view pixel_kind_name(PixelKind kind);  // "gray", "gray+alpha", …

struct ImageInfo {
  FileFormat format = FileFormat::other;
  int width = 0;  // as stored, before orientation
  int height = 0;
  PixelKind kind = PixelKind::rgb;
  int bit_depth = 8;               // of a sample (palette: of an index)
  int orientation = 1;             // EXIF 1…8; absent or invalid: 1
  bool has_alpha = false;          // gray+alpha, RGBA, or a tRNS chunk
  bool has_icc = false;            // a color profile is there; nothing here looks at it
  bool more_images = false;        // frames of an animated PNG, further images of an MPO, a gain map (Ultra HDR); only the first is read
  std::uint64_t palette_hash = 0;  // of a PNG's palette chunk, to tell files with another one; 0 without
  bool swaps_axes() const { return orientation >= 5; }
};

// Reads the header. `bytes` is a prefix of the file; `complete` says that it is the whole file. When the prefix ends too early and
// is not complete the result has `need_more` set, and the caller comes back with a longer prefix.
// Refused: formats other than PNG and JPEG by name with advice ("TIFF is not supported; convert it to PNG"), an empty file, sizes of
// 0 or beyond kMaxSide, 12-bit, lossless and arithmetic-coded-without-support JPEG, and the like. The pixel limit is the caller's:
// check_pixel_limit.
struct Probe {
  ImageInfo info;
  bool need_more = false;
};
[[nodiscard]] Result<Probe> probe(std::span<const std::byte> bytes, bool complete);

// The longest side read; OpenCV's limit too.
inline constexpr int kMaxSide = 1 << 20;

// Refuses an image of more than `max_pixels` pixels, naming both numbers and the option that raises the limit.
[[nodiscard]] Status check_pixel_limit(const ImageInfo& info, std::uint64_t max_pixels);

}  // namespace hotpack::codecs
