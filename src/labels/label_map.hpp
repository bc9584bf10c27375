// The table of --map, which says which ids, colors or class names in labels become which classes.
//
// Plain values and pure functions; thread-safe. Errors have code `data` and name file and line,
// what was found, what was expected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "hotpack/result.hpp"
#include "labels/class_table.hpp"
#include "labels/label_decoder.hpp"

namespace hotpack::labels {

// A label value before the map: an id, a color, or the name of a class in the class table.
using OldValue = std::variant<std::int64_t, RgbColor, std::string>;

struct MapRow {
  std::size_t line = 0;
  std::string name;  // of the old class: from a class file's row, else the old value as written
  OldValue old;
  std::string target;    // name or id of the new class, as written
  bool ignored = false;  // instead of a target
};

struct LabelMap {
  std::string path;                   // for messages
  std::vector<MapRow> rows;           // at least one; never both ids and colors
  std::vector<std::string> warnings;  // for the report: unusual input that was accepted

  template <class T>
  [[nodiscard]] bool holds() const {
    for (const MapRow& row : rows)
      if (std::holds_alternative<T>(row.old)) return true;
    return false;
  }
};

// Parses the file of --map: CSV as in class files (quotes, BOM, CRLF, blanks, empty lines). The
// columns of the first row, which may be a header, decide between three forms:
//   old,new               `old`: an id 0…65535, a color #rrggbb, or a class name
//   r,g,b,new             `old` is a color in three numbers
//   name,r,g,b,…,new      a class file with one more column; if there are several, `new` is the
//                         one whose header begins with "to" or "new"
// `new` is a class name, a class id, or "ignore". Rows without `new` are skipped. Rows whose id is
// below 0, which no file can contain, are skipped with a warning. Lines that begin with "# " are
// comments.
[[nodiscard]] Result<LabelMap> parse_label_map(std::string_view text, const std::string& path);

// Returns the classes that the map itself defines by its new values. If these are names: the names
// in order of appearance. If all are ids: classes named "0", "1", … up to the largest id. Fails if
// ids and names are mixed, or if ids are missing.
[[nodiscard]] Result<ClassTable> classes_of_map(const LabelMap& map);

// The classes before the map, with the values of each.
struct OldClasses {
  ClassTable table;
  std::vector<MappedValue> values;
};

// Returns every label value that the map assigns, ascending, with its class in `table`. If a row of
// the map has a class name as old value, it stands for all values of that class in `old`. Values
// that `old` ignores stay ignored, unless a row names them. Fails if a new value is not a class of
// `table`, if a name is not in `old` (or `old` is absent), or if two rows give different classes to
// the same value.
[[nodiscard]] Result<std::vector<MappedValue>> resolve_map(const LabelMap& map,
                                                           const ClassTable& table,
                                                           const OldClasses* old);

// The same for classes of whole images: returns their old names, in byte order, and the new ids.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::uint16_t>>> resolve_class_names(
    const LabelMap& map, const ClassTable& table);

}  // namespace hotpack::labels
