// The classes of a data set, read from a CSV, a list of names, or given by number.
//
// Plain values and pure functions; thread-safe. Errors name file and line, what was found, what was expected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::labels {

// Ids are 16 bits wide and the last one means "ignored".
inline constexpr std::size_t kMaxClasses = 65535;

struct ClassTable {
  std::vector<ClassInfo> classes;  // index = class id; `sources` of pixel labels are filled by LabelDecoder::table()
  std::vector<LabelSource> ignore;
  bool has_colors = false;            // every class has a color
  std::vector<std::string> warnings;  // for the report: unusual but accepted

  [[nodiscard]] std::optional<int> find(std::string_view name) const;  // exact name
};

// Text of a class file. Five forms, told apart by content:
//  A table whose first row names two or more columns, between commas, semicolons or tabs, in any order: name; id; color (#rrggbb, or three
//    numbers) or r, g, b; in their usual spellings (`Class Name`, `label`, `hex`, `Pixel Value`, …). Ids must be 0…N−1.
//  CSV `name,r,g,b[,…]`: comma-separated with RFC 4180 quotes; optional UTF-8 BOM; LF or CRLF; a missing last newline; blanks around
//    fields; empty lines; further columns ignored with a warning. The first row is a header only when its r,g,b are not numbers. Files of
//    three columns have colors alone, named class_0, class_1, …. A color is int(float(x)) and must be 0…255.
//  Lines `name:r,g,b:parts:actions` (CVAT's labelmap.txt); lines after # are comments; a color may be missing.
//  Three numbers per line between blanks: colors alone (DIGITS), named class_0, class_1, …, or with the name behind them (CamVid).
//  Names one per line (no line has a number between commas, and not every line has as many commas): trimmed, empty lines skipped, quotes
//    around a name removed, at least one.
//    A line "__ignore__" names no class (LabelMe); it is left out with a warning. A first line like "name" or "class", which may be a
//    header, is refused unless it stands in quotes.
// A name or a color of two classes is an error naming both lines; a row that says again what another says is left out with a warning.
// A classification table (`class_index,class,…`) is refused with advice. Errors have code `data`. `path` is for messages.
[[nodiscard]] Result<ClassTable> parse_class_file(std::string_view text, const std::string& path);

// Classes "0" … "N-1".
[[nodiscard]] ClassTable numbered_classes(int count);
// `background`, `foreground`, in this order.
[[nodiscard]] ClassTable binary_classes();
// One class a folder name, in byte order; a name given twice is one class. Its source is the name.
[[nodiscard]] ClassTable named_classes(const std::vector<std::string>& names);

}  // namespace hotpack::labels
