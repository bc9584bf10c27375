// The classes of a data set, from a class file or from a list of names.
//
// Plain values and pure functions; thread-safe. Errors name file and line, what was found, what was
// expected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::labels {

// Ids have 16 bits, and the largest id, 65535, means "ignored".
inline constexpr std::size_t kMaxClasses = 65535;

struct ClassTable {
  // index = class id; LabelDecoder::table() fills in `sources` of pixel labels
  std::vector<ClassInfo> classes;
  std::vector<LabelSource> ignore;
  bool has_colors = false;            // every class has a color
  std::vector<std::string> warnings;  // for the report: unusual input that was accepted
  // The name of a column of unknown meaning that numbers the classes 1…N, in order; empty if there
  // is none. If label files contain these numbers, their ids are one higher than those of the
  // table.
  std::string counted_from_one;

  [[nodiscard]] std::optional<int> find(std::string_view name) const;  // exact name
};

// Parses a class file. Its content decides between six forms:
// - A YAML file with `names:`, such as data.yaml of YOLO and Roboflow; see labels/markup.hpp.
// - A table whose first row names two or more columns, separated by commas, semicolons or tabs, in
//   any order: name; id; color (#rrggbb, or three numbers) or r, g, b; in their usual spellings
//   (`Class Name`, `label`, `hex`, `Pixel Value`, …). Ids must be 0…N−1.
// - CSV `name,r,g,b[,…]`: comma-separated with RFC 4180 quotes. Accepts a UTF-8 BOM, LF or CRLF, a
//   missing last newline, spaces around fields and empty lines; ignores further columns with a
//   warning. The first row is a header only if its r,g,b are not numbers. Files of three columns
//   contain only colors; the names are class_0, class_1, …. A color is int(float(x)), 0…255.
// - Lines `name:r,g,b:parts:actions` (CVAT's labelmap.txt). A line that begins with # is a comment;
//   a color may be missing.
// - Three numbers per line, separated by spaces: either colors alone (DIGITS), whose names are
//   class_0, class_1, …, or colors followed by names (CamVid).
// - One name per line, at least one. No line has a number between commas, and lines differ in their
//   number of commas. Skips empty lines; removes quotes around a name. Skips a line "__ignore__"
//   (LabelMe), which is not a class, with a warning. A first line like "name" or "class" is a
//   header in a .csv, where another first line gives a warning; elsewhere it is refused, as it may
//   be a header or a class. Refuses lines that look like YAML, Python, JSON, XML, INI or Markdown.
//   Lines in quotes are names.
// A file that is no list of classes, because a line begins with the name of an image or is a
// sentence, is an error that sets `no_list`.
// Two classes with the same name or color are an error that names both lines. A row that repeats
// another is skipped with a warning. A classification table (`class_index,class,…`) is refused, and
// the error says how to pack it. Errors have code `data`. `path` is for messages.
[[nodiscard]] Result<ClassTable> parse_class_file(std::string_view text, const std::string& path,
                                                  bool* no_list = nullptr);

// Classes "0" … "N-1".
[[nodiscard]] ClassTable numbered_classes(int count);
// `background`, `foreground`, in this order.
[[nodiscard]] ClassTable binary_classes();
// Returns a table with one class per different name, in byte order. The source of a class is its
// name.
[[nodiscard]] ClassTable named_classes(const std::vector<std::string>& names);

}  // namespace hotpack::labels
