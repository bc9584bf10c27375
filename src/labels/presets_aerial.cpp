// LoveDA, ISPRS Potsdam and Vaihingen, iSAID, DeepGlobe.
#include <array>

#include "base/words.hpp"
#include "labels/preset_data.hpp"

namespace hotpack::labels {
namespace {

constexpr std::array<NamedColor, 7> kLoveda{{
    {"background", {255, 255, 255}},
    {"building", {255, 0, 0}},
    {"road", {255, 255, 0}},
    {"water", {0, 0, 255}},
    {"barren", {159, 129, 183}},
    {"forest", {0, 255, 0}},
    {"agricultural", {255, 195, 128}},
}};

constexpr std::array<NamedColor, 6> kIsprs{{
    {"impervious_surface", {255, 255, 255}},
    {"building", {0, 0, 255}},
    {"low_vegetation", {0, 255, 255}},
    {"tree", {0, 255, 0}},
    {"car", {255, 255, 0}},
    {"clutter", {255, 0, 0}},
}};

constexpr std::array<NamedColor, 16> kIsaid{{
    {"background", {0, 0, 0}},
    {"ship", {0, 0, 63}},
    {"store_tank", {0, 63, 63}},
    {"baseball_diamond", {0, 63, 0}},
    {"tennis_court", {0, 63, 127}},
    {"basketball_court", {0, 63, 191}},
    {"Ground_Track_Field", {0, 63, 255}},
    {"Bridge", {0, 127, 63}},
    {"Large_Vehicle", {0, 127, 127}},
    {"Small_Vehicle", {0, 0, 127}},
    {"Helicopter", {0, 0, 191}},
    {"Swimming_pool", {0, 0, 255}},
    {"Roundabout", {0, 191, 127}},
    {"Soccer_ball_field", {0, 127, 191}},
    {"plane", {0, 127, 255}},
    {"Harbor", {0, 100, 155}},
}};

constexpr std::array<NamedColor, 6> kDeepglobe{{
    {"urban_land", {0, 255, 255}},
    {"agriculture_land", {255, 255, 0}},
    {"rangeland", {255, 0, 255}},
    {"forest_land", {0, 255, 0}},
    {"water", {0, 0, 255}},
    {"barren_land", {255, 255, 255}},
}};

// Makes a preset of the ISPRS data sets. Their original labels contain colors, and black for pixels
// without a class. Tiles written by converters contain ids from 1, and 0 for pixels without a
// class.
Preset isprs(std::string name, std::string about) {
  Preset preset = preset_of(std::move(name), std::move(about), colored_table(kIsprs));
  preset.kind = LabelKind::automatic;
  preset.map = shifted_map(preset.table);
  preset.ignore = {"#000000"};
  return preset;
}

}  // namespace

std::vector<Preset> aerial_presets() {
  Preset loveda =
      preset_of("loveda", "LoveDA, ids 1…7 of 7 classes; 0 ignored", colored_table(kLoveda));
  loveda.map = shifted_map(loveda.table);

  Preset isaid =
      preset_of("isaid", "iSAID, 16 classes with background; colors, or ids with 255 ignored",
                colored_table(kIsaid));
  isaid.kind = LabelKind::automatic;
  isaid.label_suffix = "_instance_color_RGB";

  Preset deepglobe =
      preset_of("deepglobe", "DeepGlobe land cover, colors of 6 classes; unknown (black) ignored",
                colored_table(kDeepglobe));
  deepglobe.kind = LabelKind::color;
  deepglobe.ignore = {"#000000"};
  deepglobe.image_suffix = "_sat";
  deepglobe.label_suffix = "_mask";
  return {loveda,
          isprs("potsdam", "ISPRS Potsdam, 6 classes; ids 1…6 or colors, 0 and black ignored"),
          isprs("vaihingen", "ISPRS Vaihingen, 6 classes; ids 1…6 or colors, 0 and black ignored"),
          isaid, deepglobe};
}

}  // namespace hotpack::labels
