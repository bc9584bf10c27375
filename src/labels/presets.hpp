// Class tables of well-known data sets: names, colors, what is ignored, which ids become which classes, and how label files are called.
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
  std::string about;  // one line: the data set, how many classes, what is ignored
  ClassTable table;
  LabelKind reading = LabelKind::index;    // automatic where files of the set come both as ids and as colors
  RgbId rgb_id = RgbId::none;              // the formula, where files are RGB and their colors are ids
  std::string map;                         // text of a map file (labels/label_map.hpp), empty where ids are class ids already
  std::vector<std::string> ignore;         // as --ignore
  std::string image_suffix, label_suffix;  // defaults of the options of these names
};

// Absent for an unknown name.
[[nodiscard]] const Preset* find_preset(std::string_view name);
// In the order in which people look for them.
[[nodiscard]] std::vector<std::string_view> preset_names();

}  // namespace hotpack::labels
