#include "files/file_kind.hpp"

#include <algorithm>
#include <array>

namespace hotpack::pipeline {

namespace {

constexpr std::array<std::string_view, 2> kPng{"png", "apng"};
constexpr std::array<std::string_view, 4> kJpeg{"jpg", "jpeg", "jpe", "jfif"};
constexpr std::array<std::string_view, 5> kJunk{"Thumbs.db", "ehthumbs.db", "desktop.ini",
                                                "__MACOSX", "@eaDir"};

struct Annotation {
  std::string_view extension;
  ForeignFormat format;
};
constexpr std::string_view kDraw = "draw its masks as PNG files, one per image";
constexpr std::array<Annotation, 3> kAnnotations{{
    {"json", {"JSON (polygons or run lengths of COCO, LabelMe and others)", kDraw}},
    {"xml", {"XML (boxes or polygons of VOC, CVAT and others)", kDraw}},
    {"csv", {"a table of run lengths", kDraw}},
}};

template <class List>
bool contains(const List& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

}  // namespace

FileName describe_name(std::string_view name) {
  const std::string_view last = last_part(name);
  if (is_junk(last)) return {FileKind::junk, name.size(), false, {}};
  const std::string lower = lowered(last);
  const std::size_t dot = lower.rfind('.');
  if (dot == std::string::npos || dot == 0) return {FileKind::other, name.size(), false, {}};
  const std::string_view extension = std::string_view(lower).substr(dot + 1);
  const std::size_t stem_length = name.size() - extension.size() - 1;
  if (contains(kPng, extension)) return {FileKind::image, stem_length, false, {}};
  if (contains(kJpeg, extension)) return {FileKind::image, stem_length, true, {}};
  if (const auto foreign = foreign_extension(lower))
    return {FileKind::unsupported, name.size() - foreign->length - 1, false, foreign->format};
  for (const Annotation& annotation : kAnnotations)
    if (extension == annotation.extension)
      return {FileKind::annotation, stem_length, false, annotation.format};
  return {FileKind::other, stem_length, false, {}};
}

bool is_junk(std::string_view name) { return name.starts_with('.') || contains(kJunk, name); }

std::string lowered(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool has_image_name(std::string_view path) {
  const FileKind kind = describe_name(path).kind;
  return kind == FileKind::image || kind == FileKind::unsupported;
}

}  // namespace hotpack::pipeline
