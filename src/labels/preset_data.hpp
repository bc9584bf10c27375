// The presets (labels of well-known data sets), one group per source file, and the functions that
// make them. Only src/labels uses this.
//
// Pure functions; thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "labels/presets.hpp"

namespace hotpack::labels {

struct NamedColor {
  std::string_view name;
  RgbColor color;
};

[[nodiscard]] ClassTable colored_table(std::span<const NamedColor> classes);
[[nodiscard]] ClassTable named_table(std::span<const std::string_view> names);
// A preset for ids, without map, ignore rule or suffixes.
[[nodiscard]] Preset preset_of(std::string name, std::string about, ClassTable table);
// The map of a set whose id 0 means "no class": 0 is ignored, n becomes n − 1.
[[nodiscard]] std::string shifted_map(const ClassTable& table);

[[nodiscard]] std::vector<Preset> general_presets();  // everyday objects
[[nodiscard]] std::vector<Preset> street_presets();
[[nodiscard]] std::vector<Preset> scene_presets();  // ADE20K, NYU
[[nodiscard]] std::vector<Preset> coco_presets();
[[nodiscard]] std::vector<Preset> aerial_presets();
[[nodiscard]] std::vector<Preset> people_presets();
[[nodiscard]] std::vector<Preset> medical_presets();

}  // namespace hotpack::labels
