#include "codecs/picture_info.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/error.hpp"
#include "codecs/jpeg_header.hpp"
#include "codecs/png_header.hpp"

namespace hotpack::codecs {
namespace {

using namespace std::string_view_literals;

struct Signature {
  FileFormat format;
  std::string_view start;
  std::string_view at_eight = {};  // what follows at byte 8, if anything
};

constexpr std::array kSignatures = {
    Signature{FileFormat::png, "\x89PNG\r\n\x1a\n"sv},
    Signature{FileFormat::jpeg, "\xff\xd8\xff"sv},
    Signature{FileFormat::bmp, "BM"sv},
    Signature{FileFormat::gif, "GIF8"sv},
    Signature{FileFormat::webp, "RIFF"sv, "WEBP"sv},
    Signature{FileFormat::tiff, "II*\0"sv},
    Signature{FileFormat::tiff, "MM\0*"sv},
    Signature{FileFormat::tiff, "II+\0"sv},  // BigTIFF
    Signature{FileFormat::tiff, "MM\0+"sv},
};
constexpr std::size_t kLongestSignature = 12;

bool holds(std::span<const std::byte> bytes, std::size_t offset, std::string_view text) {
  if (bytes.size() < offset + text.size()) return false;
  const auto part = bytes.subspan(offset, text.size());
  return std::equal(part.begin(), part.end(), text.begin(), [](std::byte b, char c) { return b == static_cast<std::byte>(c); });
}

// Transfers in text mode change line ends or the top bit: the letters are there, the signature is not.
bool looks_like_spoilt_png(std::span<const std::byte> bytes) { return holds(bytes, 1, "PNG"); }

Error unsupported(FileFormat format, std::span<const std::byte> bytes) {
  if (format == FileFormat::empty) return data_error("the file is empty");
  if (format != FileFormat::other) {
    const std::string name(format_name(format));
    return data_error("the content is that of a " + name + " file; " + name + " is not supported; convert it to PNG");
  }
  if (looks_like_spoilt_png(bytes)) {
    return data_error("the PNG signature is damaged, as a transfer in text mode does; copy the file again in binary mode");
  }
  return data_error("the content is neither PNG nor JPEG; only these two are supported; convert the picture to PNG");
}

}  // namespace

FileFormat sniff(std::span<const std::byte> first_bytes) {
  if (first_bytes.empty()) return FileFormat::empty;
  for (const Signature& signature : kSignatures) {
    const bool second_part_fits = signature.at_eight.empty() || holds(first_bytes, 8, signature.at_eight);
    if (holds(first_bytes, 0, signature.start) && second_part_fits) return signature.format;
  }
  return FileFormat::other;
}

std::string_view format_name(FileFormat format) {
  switch (format) {
    case FileFormat::png:
      return "PNG";
    case FileFormat::jpeg:
      return "JPEG";
    case FileFormat::bmp:
      return "BMP";
    case FileFormat::gif:
      return "GIF";
    case FileFormat::webp:
      return "WebP";
    case FileFormat::tiff:
      return "TIFF";
    case FileFormat::empty:
      return "empty";
    case FileFormat::other:
      break;
  }
  return "unknown";
}

std::string_view pixel_kind_name(PixelKind kind) {
  switch (kind) {
    case PixelKind::gray:
      return "gray";
    case PixelKind::gray_alpha:
      return "gray+alpha";
    case PixelKind::rgb:
      return "RGB";
    case PixelKind::rgba:
      return "RGBA";
    case PixelKind::palette:
      return "palette";
    case PixelKind::cmyk:
      return "CMYK";
    case PixelKind::ycck:
      return "YCCK";
  }
  return "unknown";
}

Result<Probe> probe(std::span<const std::byte> bytes, bool complete) {
  const FileFormat format = sniff(bytes);
  if (format == FileFormat::png) return probe_png(bytes, complete);
  if (format == FileFormat::jpeg) return probe_jpeg(bytes, complete);
  if (!complete && bytes.size() < kLongestSignature) return Probe{.info = {}, .need_more = true};
  return unsupported(format, bytes);
}

Status check_pixel_limit(const PictureInfo& info, std::uint64_t max_pixels) {
  const std::uint64_t pixels = static_cast<std::uint64_t>(info.width) * static_cast<std::uint64_t>(info.height);
  if (pixels <= max_pixels) return {};
  return data_error("the picture is " + std::to_string(info.width) + "x" + std::to_string(info.height) + ", " + std::to_string(pixels) +
                    " pixels, more than the limit of " + std::to_string(max_pixels) +
                    "; if it is genuine, raise the limit with --max-pixels");
}

}  // namespace hotpack::codecs
