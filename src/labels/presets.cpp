#include "labels/presets.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "labels/preset_data.hpp"

namespace hotpack::labels {
namespace {

std::vector<Preset> collected() {
  std::vector<Preset> all;
  for (const auto group : {general_presets, street_presets, scene_presets, coco_presets,
                           aerial_presets, people_presets, medical_presets}) {
    std::vector<Preset> presets = group();
    std::move(presets.begin(), presets.end(), std::back_inserter(all));
  }
  return all;
}

const std::vector<Preset>& all_presets() {
  static const std::vector<Preset> presets = collected();
  return presets;
}

}  // namespace

const Preset* find_preset(std::string_view name) {
  const std::vector<Preset>& presets = all_presets();
  const auto found = std::find_if(presets.begin(), presets.end(),
                                  [&](const Preset& preset) { return preset.name == name; });
  return found == presets.end() ? nullptr : &*found;
}

std::vector<std::string_view> preset_names() {
  std::vector<std::string_view> names;
  for (const Preset& preset : all_presets()) names.emplace_back(preset.name);
  return names;
}

ClassTable colored_table(std::span<const NamedColor> classes) {
  ClassTable table;
  for (const NamedColor& one : classes)
    table.classes.push_back({std::string(one.name), one.color, {}});
  table.has_colors = true;
  return table;
}

ClassTable named_table(std::span<const std::string_view> names) {
  ClassTable table;
  for (const std::string_view name : names)
    table.classes.push_back({std::string(name), std::nullopt, {}});
  return table;
}

Preset preset_of(std::string name, std::string about, ClassTable table) {
  Preset preset;
  preset.name = std::move(name);
  preset.about = std::move(about);
  preset.table = std::move(table);
  return preset;
}

std::string shifted_map(const ClassTable& table) {
  std::string map = "0,ignore\n";
  for (std::size_t id = 0; id < table.classes.size(); ++id)
    map += std::to_string(id + 1) + "," + std::to_string(id) + "\n";
  return map;
}

}  // namespace hotpack::labels
