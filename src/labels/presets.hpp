// Class tables of well-known data sets: names, colors, ignored values, the mapping of ids to
// classes, and the names of label files.
//
// Constant data; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"
#include "labels/class_table.hpp"
#include "labels/label_decoder.hpp"

namespace hotpack::labels {

struct Preset {
  std::string name;   // "cityscapes19"
  std::string about;  // one line: the data set, the number of classes, the ignored values
  ClassTable table;
  // automatic if the set has files with ids and files with colors
  LabelKind kind = LabelKind::index;
  RgbId rgb_id = RgbId::none;  // the formula, if files are RGB and their colors are ids
  std::string map;  // text of a map file (labels/label_map.hpp); empty if ids are class ids already
  std::vector<std::string> ignore;         // as --ignore
  std::string image_suffix, label_suffix;  // defaults of the options with these names
};

// Absent for an unknown name.
[[nodiscard]] const Preset* find_preset(std::string_view name);
// In the order in which people look for them.
[[nodiscard]] std::vector<std::string_view> preset_names();

}  // namespace hotpack::labels
