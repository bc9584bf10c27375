#include "codecs/image_info.hpp"

#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/foreign_format.hpp"
#include "codecs/jpeg_header.hpp"
#include "codecs/png_header.hpp"

namespace hotpack::codecs {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n"sv;
constexpr std::string_view kJpegSignature = "\xff\xd8\xff"sv;

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Names the format and gives advice; gives only the advice if the format has no name.
std::string content_text(const ForeignFormat& format) {
  if (format.name.empty()) return std::string(format.advice);
  return "the content is that of a " + std::string(format.name) + " file; " +
         unsupported_text(format);
}

Error unsupported(std::span<const std::byte> bytes) {
  if (bytes.empty()) return data_error("the file is empty");
  // If a file is transferred in text mode, line ends or the top bit of bytes change. This damages
  // the PNG signature, but not the letters "PNG" in it.
  if (as_text(bytes).substr(1).starts_with("PNG")) {
    return data_error(
        "the PNG signature is damaged, as happens when a file is transferred in text mode; copy "
        "the "
        "file again in binary mode");
  }
  if (const auto foreign = foreign_format(bytes)) return data_error(content_text(*foreign));
  return data_error(
      "the content is neither PNG nor JPEG; only these two are supported; convert the image to "
      "PNG");
}

}  // namespace

FileFormat sniff(std::span<const std::byte> first_bytes) {
  if (as_text(first_bytes).starts_with(kPngSignature)) return FileFormat::png;
  return as_text(first_bytes).starts_with(kJpegSignature) ? FileFormat::jpeg : FileFormat::other;
}

std::string_view format_name(FileFormat format) {
  switch (format) {
    case FileFormat::png:
      return "PNG";
    case FileFormat::jpeg:
      return "JPEG";
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
  if (!complete && bytes.size() < kForeignFormatBytes) return Probe{.info = {}, .need_more = true};
  return unsupported(bytes);
}

Status check_pixel_limit(const ImageInfo& info, std::uint64_t max_pixels) {
  const std::uint64_t pixels =
      static_cast<std::uint64_t>(info.width) * static_cast<std::uint64_t>(info.height);
  if (pixels <= max_pixels) return {};
  return data_error("the image is " + std::to_string(info.width) + "x" +
                    std::to_string(info.height) + ", " + std::to_string(pixels) +
                    " pixels, which is more than the limit of " + std::to_string(max_pixels) +
                    "; if the image is genuine, raise the limit with --max-pixels");
}

}  // namespace hotpack::codecs
