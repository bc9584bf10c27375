#include "inputs/file_kind.hpp"

#include <algorithm>
#include <array>

namespace hotpack::pipeline {

namespace {

constexpr std::array<std::string_view, 2> kPng{"png", "apng"};
constexpr std::array<std::string_view, 4> kJpeg{"jpg", "jpeg", "jpe", "jfif"};
constexpr std::array<std::string_view, 5> kLitter{"Thumbs.db", "ehthumbs.db", "desktop.ini", "__MACOSX", "@eaDir"};

struct Format {
  std::string_view extension;
  std::string_view name;
  std::string_view advice;
};
constexpr std::string_view kPicture = "convert it to PNG";
constexpr std::string_view kVolume = "convert its slices to PNG";
constexpr std::string_view kArray = "save the picture or label that it holds as PNG";
constexpr std::array<Format, 29> kUnsupported{{
    {"bmp", "BMP", kPicture},
    {"gif", "GIF", kPicture},
    {"webp", "WebP", kPicture},
    {"tif", "TIFF", kPicture},
    {"tiff", "TIFF", kPicture},
    {"jp2", "JPEG 2000", kPicture},
    {"j2k", "JPEG 2000", kPicture},
    {"jxl", "JPEG XL", kPicture},
    {"heic", "HEIF", kPicture},
    {"heif", "HEIF", kPicture},
    {"avif", "AVIF", kPicture},
    {"ppm", "Netpbm", kPicture},
    {"pgm", "Netpbm", kPicture},
    {"pbm", "Netpbm", kPicture},
    {"pnm", "Netpbm", kPicture},
    {"tga", "TGA", kPicture},
    {"dng", "camera raw", kPicture},
    {"exr", "OpenEXR", kPicture},
    {"hdr", "HDR", kPicture},
    {"mat", "MATLAB data", kArray},
    {"npy", "NumPy data", kArray},
    {"npz", "NumPy data", kArray},
    {"dcm", "DICOM", kPicture},
    {"nii.gz", "NIfTI", kVolume},
    {"nii", "NIfTI", kVolume},
    {"mha", "MetaImage", kVolume},
    {"mhd", "MetaImage", kVolume},
    {"nrrd", "NRRD", kVolume},
    {"svs", "a whole-slide image", kPicture},
}};

constexpr std::string_view kDraw = "draw its masks as PNG files, one an image";
constexpr std::array<Format, 3> kAnnotations{{
    {"json", "JSON (polygons or run lengths of COCO, LabelMe and others)", kDraw},
    {"xml", "XML (boxes or polygons of VOC, CVAT and others)", kDraw},
    {"csv", "a table of run lengths", kDraw},
}};

template <class List>
bool contains(const List& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// Whether `lower` ends with a dot and the extension, with a name before.
bool has_extension(std::string_view lower, std::string_view extension) {
  return lower.size() > extension.size() + 1 && lower.ends_with(extension) && lower[lower.size() - extension.size() - 1] == '.';
}

template <class List>
const Format* find_format(const List& list, std::string_view lower) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Format& format) { return has_extension(lower, format.extension); });
  return found == list.end() ? nullptr : &*found;
}

FileName described(FileKind kind, std::string_view path, const Format& format) {
  return {kind, path.size() - format.extension.size() - 1, false, format.name, format.advice};
}

}  // namespace

FileName describe_name(std::string_view name) {
  const std::string_view last = last_part(name);
  if (is_litter(last)) return {FileKind::litter, name.size(), false, {}, {}};
  const std::string lower = lowered(last);
  const std::size_t dot = lower.rfind('.');
  if (dot == std::string::npos || dot == 0) return {FileKind::other, name.size(), false, {}, {}};
  const std::string_view extension = std::string_view(lower).substr(dot + 1);
  const std::size_t stem_length = name.size() - extension.size() - 1;
  if (contains(kPng, extension)) return {FileKind::picture, stem_length, false, {}, {}};
  if (contains(kJpeg, extension)) return {FileKind::picture, stem_length, true, {}, {}};
  if (const Format* const format = find_format(kUnsupported, lower)) return described(FileKind::unsupported, name, *format);
  if (const Format* const format = find_format(kAnnotations, lower)) return described(FileKind::annotation, name, *format);
  return {FileKind::other, stem_length, false, {}, {}};
}

bool is_litter(std::string_view name) { return name.starts_with('.') || contains(kLitter, name); }

std::string unsupported_text(const FileName& name) { return std::string(name.format) + " is not supported; " + std::string(name.advice); }

std::string lowered(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace hotpack::pipeline
