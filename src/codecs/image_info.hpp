// Reads the header of an image file without decoding pixels. The content determines the format, not
// the file's extension.
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
  int bit_depth = 8;       // per sample (palette: per index)
  int orientation = 1;     // EXIF 1…8; 1 if absent or invalid
  bool has_alpha = false;  // gray+alpha, RGBA, or a tRNS chunk
  bool has_icc = false;    // has a color profile, which is ignored
  // The file has further frames (animated PNG), further images (MPO) or a gain map (Ultra HDR).
  // Only the first image is read.
  bool more_images = false;
  // An interlaced PNG, or a JPEG of several scans: its decoder keeps the whole image in memory.
  bool multi_pass = false;
  // hash of a PNG's palette chunk, to recognize files with another palette; 0 without a palette
  std::uint64_t palette_hash = 0;
  bool swaps_axes() const { return orientation >= 5; }
};

// Reads the header. `bytes` is a prefix of the file; `complete` means that it is the whole file. If
// the prefix is too short, the result has `need_more` set, and the caller calls again with a longer
// prefix.
//
// Fails for
// - formats other than PNG and JPEG, with their names and advice ("TIFF is not supported; convert
//   it to PNG"),
// - an empty file,
// - a width or height of 0 or more than kMaxSide,
// - JPEG with 12 bits, lossless, or with unsupported arithmetic coding.
// The caller checks the pixel limit with check_pixel_limit().
struct Probe {
  ImageInfo info;
  bool need_more = false;
};
[[nodiscard]] Result<Probe> probe(std::span<const std::byte> bytes, bool complete);

// The largest width or height that is read. OpenCV has the same limit.
inline constexpr int kMaxSide = 1 << 20;

// Fails if an image has more than `max_pixels` pixels. The message contains both numbers and the
// option that raises the limit.
[[nodiscard]] Status check_pixel_limit(const ImageInfo& info, std::uint64_t max_pixels);

}  // namespace hotpack::codecs
