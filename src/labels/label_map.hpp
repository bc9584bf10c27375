// The table of --map: what happens to the ids, colors or class names that labels hold.
//
// Plain values and pure functions; thread-safe. Errors have code `data` and name file and line, what was found, what was expected.
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

// What a label holds before the map: an id, a color, or (in the words of a class table) a name.
using OldValue = std::variant<std::int64_t, RgbColor, std::string>;

struct MapRow {
  std::size_t line = 0;
  std::string name;  // of the old class: that of a class file's row, else the old value as it is written
  OldValue old;
  std::string target;    // name or id of the class that it becomes, as written
  bool ignored = false;  // in place of a target
};

struct LabelMap {
  std::string path;                   // for messages
  std::vector<MapRow> rows;           // at least one; ids and colors never together
  std::vector<std::string> warnings;  // for the report: unusual but accepted

  template <class T>
  [[nodiscard]] bool holds() const {
    for (const MapRow& row : rows)
      if (std::holds_alternative<T>(row.old)) return true;
    return false;
  }
};

// Text of a map: CSV as in class files (quotes, BOM, CRLF, blanks, empty lines), in one of three forms told apart by the columns of the
// first row, which may be a header:
//   old,new               `old`: an id 0…65535, a color #rrggbb, or a class name
//   r,g,b,new             `old` is a color in three numbers
//   name,r,g,b,…,new      a class file with one column more; of several, the one whose header begins with "to" or "new"
// `new`: a class name, a class id, or "ignore". A row without `new` is left out with a warning, and so is an id below 0, which no file can
// hold. Lines that begin with "# " are comments.
[[nodiscard]] Result<LabelMap> parse_label_map(std::string_view text, const std::string& path);

// The classes that the map itself names: names in the order of their first appearance, or, where all are ids, "0", "1", … up to the
// largest. Fails where ids and names stand next to each other, or ids are left out.
[[nodiscard]] Result<ClassTable> classes_of_map(const LabelMap& map);

// The classes before the map, and which values have them.
struct OldClasses {
  ClassTable table;
  std::vector<MappedValue> values;
};

// Every value that the map gives a meaning, ascending: targets are classes of `table`. Names stand for all values of that class of `old`;
// values that were ignored before stay so, unless a row names them. Fails where a target is no class, a name none of `old` (or `old` is
// absent), or two rows give one value different meanings.
[[nodiscard]] Result<std::vector<MappedValue>> resolve_map(const LabelMap& map, const ClassTable& table, const OldClasses* old);

// The same for classes of whole images: their names, in byte order, and ids.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::uint16_t>>> resolve_class_names(const LabelMap& map, const ClassTable& table);

}  // namespace hotpack::labels
