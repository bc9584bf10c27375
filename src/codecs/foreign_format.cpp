#include "codecs/foreign_format.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace hotpack::codecs {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kConvert = "convert it to PNG";
constexpr std::string_view kConvertSlices = "convert its slices to PNG";
constexpr std::string_view kExportArray = "save its arrays as PNG";
constexpr std::string_view kRenderMasks = "render its annotations to PNG masks";
constexpr std::string_view kUnpack = "unpack it first";

// A format's name and what to do about it; without a name the advice says all.
struct Format {
  std::string_view name;
  std::string_view advice;
};

struct Signature {
  std::size_t at;
  std::string_view bytes;
  Format format;
};

// The first that fits counts.
constexpr std::array kSignatures = {
    Signature{0, "BM"sv, {"BMP", kConvert}},
    Signature{0, "GIF8"sv, {"GIF", kConvert}},
    Signature{8, "WEBP"sv, {"WebP", kConvert}},
    Signature{0, "II*\0"sv, {"TIFF", kConvert}},
    Signature{0, "MM\0*"sv, {"TIFF", kConvert}},
    Signature{0, "II+\0"sv, {"TIFF", kConvert}},  // BigTIFF
    Signature{0, "MM\0+"sv, {"TIFF", kConvert}},
    Signature{0, "\0\0\0\x0cjP  "sv, {"JPEG 2000", kConvert}},
    Signature{0, "\xff\x4f\xff\x51"sv, {"JPEG 2000", kConvert}},
    Signature{0, "\0\0\0\x0cJXL "sv, {"JPEG XL", kConvert}},
    Signature{0, "\xff\x0a"sv, {"JPEG XL", kConvert}},
    Signature{0, "II\xbc"sv, {"JPEG XR", kConvert}},
    Signature{4, "ftypavif"sv, {"AVIF", kConvert}},
    Signature{4, "ftyphei"sv, {"HEIF", kConvert}},
    Signature{4, "ftypmif1"sv, {"HEIF", kConvert}},
    Signature{4, "ftyp"sv, {"MP4 or QuickTime", "save its frames as PNG"}},
    Signature{0, "8BPS"sv, {"Photoshop", kConvert}},
    Signature{0, "\x76\x2f\x31\x01"sv, {"OpenEXR", kConvert}},
    Signature{0, "#?RADIANCE"sv, {"Radiance HDR", kConvert}},
    Signature{0, "%PDF"sv, {"PDF", kConvert}},
    Signature{128, "DICM"sv, {"DICOM", kConvert}},
    Signature{344, "n+1\0"sv, {"NIfTI", kConvertSlices}},
    Signature{344, "ni1\0"sv, {"NIfTI", kConvertSlices}},
    Signature{0, "\x93NUMPY"sv, {"NumPy", kExportArray}},
    Signature{0, "MATLAB 5.0"sv, {"MATLAB", kExportArray}},
    Signature{0, "\x89HDF\r\n\x1a\n"sv, {"HDF5", kExportArray}},
    Signature{0, "\x1f\x8b"sv, {"gzip", kUnpack}},
    Signature{0, "PK\x03\x04"sv, {"zip", kUnpack}},
    Signature{0,
              "version https://git-lfs"sv,
              {"", "the file is a Git LFS pointer in place of the picture; run \"git lfs pull\" in its repository"}},
};

bool fits(const Signature& signature, std::span<const std::byte> bytes) {
  if (bytes.size() < signature.at + signature.bytes.size()) return false;
  const auto* begin = reinterpret_cast<const char*>(bytes.data()) + signature.at;
  return std::string_view(begin, signature.bytes.size()) == signature.bytes;
}

bool is_text(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) {
    const auto code = std::to_integer<unsigned>(byte);
    return code >= ' ' || code == '\t' || code == '\n' || code == '\r';
  });
}

// Portable bitmaps: P1 … P7 and white space.
bool is_netpbm(std::string_view text) {
  return text.size() >= 3 && text[0] == 'P' && text[1] >= '1' && text[1] <= '7' && (text[2] == '\n' || text[2] == ' ' || text[2] == '\r');
}

std::optional<Format> text_format(std::string_view text) {
  const std::size_t start = text.find_first_not_of("\xef\xbb\xbf \t\r\n");  // a byte order mark, blanks
  if (start == std::string_view::npos) return std::nullopt;
  if (text[start] == '{' || text[start] == '[') return Format{"JSON", kRenderMasks};
  if (text[start] == '<')
    return Format{"", "the file is XML or a web page in place of the picture; fetch the picture itself, or render it to PNG"};
  return std::nullopt;
}

std::optional<Format> find_format(std::span<const std::byte> bytes) {
  const auto found = std::find_if(kSignatures.begin(), kSignatures.end(), [&](const Signature& known) { return fits(known, bytes); });
  if (found != kSignatures.end()) return found->format;
  const auto head = bytes.first(std::min(bytes.size(), kForeignFormatBytes));
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (is_netpbm(text)) return Format{"Netpbm", kConvert};
  return is_text(head) ? text_format(text) : std::nullopt;
}

}  // namespace

std::optional<std::string> foreign_format_text(std::span<const std::byte> first_bytes) {
  const auto format = find_format(first_bytes);
  if (!format) return std::nullopt;
  const std::string name(format->name), advice(format->advice);
  if (name.empty()) return advice;
  return "the content is that of a " + name + " file; " + name + " is not supported; " + advice;
}

}  // namespace hotpack::codecs
