// Presets: what a data set's labels mean. Class table, colors, ids of each class, ignored values,
// and the names of label files.
//
// The files in src/labels/presets are built in; `--preset FILE` reads another one of the same form.
// Plain values; thread-safe. Errors name file and line, what was found, what was expected.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"
#include "hotpack/result.hpp"
#include "labels/class_table.hpp"
#include "labels/label_decoder.hpp"

namespace hotpack::labels {

struct Preset {
  std::string name;   // "cityscapes19"; of a file its path
  std::string about;  // one line: the data set, the number of classes, the ignored values
  ClassTable table;
  // automatic if the set has files with ids and files with colors
  LabelKind kind = LabelKind::index;
  RgbId rgb_id = RgbId::none;       // the formula, if files are RGB and their colors are ids
  std::vector<MappedValue> values;  // the class of each id, ascending; empty if ids are class ids
  std::vector<std::string> ignore;  // as --ignore
  std::string image_suffix, label_suffix;  // defaults of the options with these names
};

// Parses the CSV file of a preset. Rows of two fields come first: about, label-kind, rgb-id, ignore
// (one row for each value), image-suffix, label-suffix, num-classes. Then follows a row that names
// the columns, `name` and perhaps `color` and `ids`, and a row for each class, in the order of the
// class ids. `ids` are the values in label files, separated by spaces; those of the row `ignore`
// are ignored. Instead of classes, num-classes may give their number. Rows that begin with "# " are
// comments. `path` is for messages. Errors have code `data`.
[[nodiscard]] Result<Preset> parse_preset(std::string_view text, const std::string& path);

// The built-in preset; absent for an unknown name.
[[nodiscard]] const Preset* find_preset(std::string_view name);
// In byte order.
[[nodiscard]] std::vector<std::string_view> preset_names();

// True if a value of --preset is the path of a file: it contains '/' or ends with ".csv".
[[nodiscard]] bool is_preset_file(std::string_view value);
// Returns the preset that a value of --preset names; nothing if the value is empty. Fails with code
// `usage` for an unknown name, and as parse_preset() or with code `io` for a file.
[[nodiscard]] Result<std::shared_ptr<const Preset>> read_preset(const std::string& value);

}  // namespace hotpack::labels
