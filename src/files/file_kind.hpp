// Judges from a file's name alone what kind of file it is.
//
// Constant data and pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/foreign_format.hpp"

namespace hotpack::pipeline {

enum class FileKind {
  junk,         // left by tools: names that start with a dot, Thumbs.db, desktop.ini, __MACOSX
  image,        // PNG or JPEG
  unsupported,  // an image or array of a format that hotpack does not read: reported, never
                // silently ignored
  annotation,   // may hold polygons, boxes or run lengths; reported if there are no other labels
  other,        // READMEs, lists
};

struct FileName {
  FileKind kind = FileKind::other;
  std::size_t stem_length = 0;  // without extension: "a.b" of "a.b.png", "x" of "x.nii.gz"
  bool is_jpeg = false;
  ForeignFormat format;  // of unsupported files and annotations
};

// `name` is a name or a path; the result describes the name after the last '/' of a path.
[[nodiscard]] FileName describe_name(std::string_view name);

// True for junk files and folders; `name` is the name of one file or folder, without '/'.
[[nodiscard]] bool is_junk(std::string_view name);

// `text` with ASCII letters in lower case.
[[nodiscard]] std::string lowered(std::string_view text);

// Returns the part of `path` after the last '/'.
[[nodiscard]] std::string_view last_part(std::string_view path);

// True for the name of an image, also of a format that is not read.
[[nodiscard]] bool has_image_name(std::string_view path);

}  // namespace hotpack::pipeline
