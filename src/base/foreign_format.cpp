#include "base/foreign_format.hpp"

#include <algorithm>
#include <array>

namespace hotpack {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kConvert = "convert it to PNG";
constexpr std::string_view kSlices = "convert its slices to PNG";
constexpr std::string_view kArrays = "save its arrays as PNG";
constexpr std::string_view kUnpack = "unpack it first";

struct Signature {
  std::size_t at = 0;
  std::string_view bytes;  // empty: none
};

struct Row {
  ForeignFormat format;
  std::array<std::string_view, 4> extensions;
  std::array<Signature, 4> signatures;
};

// Foreign formats by extension and first bytes. The first row that matches a file is used.
// Extensions that other files have too, such as .gz and .mp4, are not listed.
constexpr std::array kRows = {
    Row{{"BMP", kConvert}, {"bmp"}, {{{0, "BM"sv}}}},
    Row{{"GIF", kConvert}, {"gif"}, {{{0, "GIF8"sv}}}},
    Row{{"WebP", kConvert}, {"webp"}, {{{8, "WEBP"sv}}}},
    Row{{"TIFF", kConvert},
        {"tif", "tiff"},
        {{{0, "II*\0"sv}, {0, "MM\0*"sv}, {0, "II+\0"sv}, {0, "MM\0+"sv}}}},
    Row{{"JPEG 2000", kConvert},
        {"jp2", "j2k"},
        {{{0, "\0\0\0\x0cjP  "sv}, {0, "\xff\x4f\xff\x51"sv}}}},
    Row{{"JPEG XL", kConvert}, {"jxl"}, {{{0, "\0\0\0\x0cJXL "sv}, {0, "\xff\x0a"sv}}}},
    Row{{"JPEG XR", kConvert}, {}, {{{0, "II\xbc"sv}}}},
    Row{{"AVIF", kConvert}, {"avif"}, {{{4, "ftypavif"sv}}}},
    Row{{"HEIF", kConvert}, {"heic", "heif"}, {{{4, "ftyphei"sv}, {4, "ftypmif1"sv}}}},
    Row{{"MP4 or QuickTime", "save its frames as PNG"}, {}, {{{4, "ftyp"sv}}}},
    Row{{"Netpbm", kConvert}, {"ppm", "pgm", "pbm", "pnm"}, {}},
    Row{{"TGA", kConvert}, {"tga"}, {}},
    Row{{"camera raw", kConvert}, {"dng"}, {}},
    Row{{"Photoshop", kConvert}, {}, {{{0, "8BPS"sv}}}},
    Row{{"OpenEXR", kConvert}, {"exr"}, {{{0, "\x76\x2f\x31\x01"sv}}}},
    Row{{"Radiance HDR", kConvert}, {"hdr"}, {{{0, "#?RADIANCE"sv}}}},
    Row{{"PDF", kConvert}, {}, {{{0, "%PDF"sv}}}},
    Row{{"DICOM", kConvert}, {"dcm"}, {{{128, "DICM"sv}}}},
    Row{{"NIfTI", kSlices}, {"nii.gz", "nii"}, {{{344, "n+1\0"sv}, {344, "ni1\0"sv}}}},
    Row{{"MetaImage", kSlices}, {"mha", "mhd"}, {}},
    Row{{"NRRD", kSlices}, {"nrrd"}, {{{0, "NRRD000"sv}}}},
    Row{{"a whole-slide image", kConvert}, {"svs"}, {}},
    Row{{"NumPy", kArrays}, {"npy", "npz"}, {{{0, "\x93NUMPY"sv}}}},
    Row{{"MATLAB", kArrays}, {"mat"}, {{{0, "MATLAB 5.0"sv}}}},
    Row{{"HDF5", kArrays}, {}, {{{0, "\x89HDF\r\n\x1a\n"sv}}}},
    Row{{"gzip", kUnpack}, {}, {{{0, "\x1f\x8b"sv}}}},
    Row{{"zip", kUnpack}, {}, {{{0, "PK\x03\x04"sv}}}},
    Row{{"",
         "the file is a Git LFS pointer in place of the image; run \"git lfs pull\" in its "
         "repository"},
        {},
        {{{0, "version https://git-lfs"sv}}}},
};

// True if `lower` ends with a dot and the extension, after a stem.
bool has_extension(std::string_view lower, std::string_view extension) {
  return !extension.empty() && lower.size() > extension.size() + 1 && lower.ends_with(extension) &&
         lower[lower.size() - extension.size() - 1] == '.';
}

bool has_signature(std::span<const std::byte> bytes, const Signature& signature) {
  if (signature.bytes.empty() || bytes.size() < signature.at + signature.bytes.size()) return false;
  const auto* begin = reinterpret_cast<const char*>(bytes.data()) + signature.at;
  return std::string_view(begin, signature.bytes.size()) == signature.bytes;
}

bool is_text(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) {
    const auto code = std::to_integer<unsigned>(byte);
    return code >= ' ' || code == '\t' || code == '\n' || code == '\r';
  });
}

// Portable bitmaps begin with P1 … P7 and white space.
bool is_netpbm(std::string_view text) {
  return text.size() >= 3 && text[0] == 'P' && text[1] >= '1' && text[1] <= '7' &&
         (text[2] == '\n' || text[2] == ' ' || text[2] == '\r');
}

std::optional<ForeignFormat> text_format(std::string_view text) {
  // skips a byte order mark and white space
  const std::size_t start = text.find_first_not_of("\xef\xbb\xbf \t\r\n");
  if (start == std::string_view::npos) return std::nullopt;
  if (text[start] == '{' || text[start] == '[')
    return ForeignFormat{"JSON", "render its annotations to PNG masks"};
  if (text[start] == '<')
    return ForeignFormat{"",
                         "the file is XML or a web page in place of the image; fetch the image "
                         "itself, or render it to PNG"};
  return std::nullopt;
}

}  // namespace

std::optional<ForeignExtension> foreign_extension(std::string_view lower) {
  for (const Row& row : kRows)
    for (const std::string_view extension : row.extensions)
      if (has_extension(lower, extension)) return ForeignExtension{row.format, extension.size()};
  return std::nullopt;
}

std::optional<ForeignFormat> foreign_format(std::span<const std::byte> first_bytes) {
  const auto found = std::find_if(kRows.begin(), kRows.end(), [&](const Row& row) {
    return std::any_of(
        row.signatures.begin(), row.signatures.end(),
        [&](const Signature& signature) { return has_signature(first_bytes, signature); });
  });
  if (found != kRows.end()) return found->format;
  const auto head = first_bytes.first(std::min(first_bytes.size(), kForeignFormatBytes));
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (is_netpbm(text)) return ForeignFormat{"Netpbm", kConvert};
  return is_text(head) ? text_format(text) : std::nullopt;
}

std::string unsupported_text(const ForeignFormat& format) {
  return std::string(format.name) + " is not supported; " + std::string(format.advice);
}

}  // namespace hotpack
