// What the name of a file says about it, before anybody opens it.
//
// Constant data and pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/foreign_format.hpp"

namespace hotpack::pipeline {

enum class FileKind {
  litter,       // left behind by tools: names that start with a dot, Thumbs.db, desktop.ini, __MACOSX
  image,        // PNG or JPEG
  unsupported,  // an image or an array of a format that hotpack does not read: named, never silently left out
  annotation,   // may hold polygons, boxes or run lengths; named where there are no labels otherwise
  other,        // READMEs, lists
};

struct FileName {
  FileKind kind = FileKind::other;
  std::size_t stem_length = 0;  // without extension: "a.b" of "a.b.png", "x" of "x.nii.gz"
  bool is_jpeg = false;
  ForeignFormat format;  // of unsupported files and annotations
};

// `name` is a name or a path; kind and stem are those of its last part.
[[nodiscard]] FileName describe_name(std::string_view name);

// Of files and folders; `name` is one part of a path.
[[nodiscard]] bool is_litter(std::string_view name);

// ASCII letters in lower case, all else as it is.
[[nodiscard]] std::string lowered(std::string_view text);

// The part after the last '/'.
[[nodiscard]] std::string_view last_part(std::string_view path);

}  // namespace hotpack::pipeline
