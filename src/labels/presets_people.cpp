// Human parsing: LIP and CIHP.
#include <array>

#include "labels/preset_data.hpp"

namespace hotpack::labels {
namespace {

constexpr std::array<RgbColor, 20> kColors{{
    {0, 0, 0},     {128, 0, 0},    {255, 0, 0},    {0, 85, 0},    {170, 0, 51},
    {255, 85, 0},  {0, 0, 85},     {0, 119, 221},  {85, 85, 0},   {0, 85, 85},
    {85, 51, 0},   {52, 86, 128},  {0, 128, 0},    {0, 0, 255},   {51, 170, 221},
    {0, 255, 255}, {85, 255, 170}, {170, 255, 85}, {255, 255, 0}, {255, 170, 0},
}};

constexpr std::array<std::string_view, 20> kLip{
    "Background", "Hat",       "Hair",     "Glove",     "Sunglasses", "UpperClothes", "Dress",
    "Coat",       "Socks",     "Pants",    "Jumpsuits", "Scarf",      "Skirt",        "Face",
    "Left-arm",   "Right-arm", "Left-leg", "Right-leg", "Left-shoe",  "Right-shoe"};

constexpr std::array<std::string_view, 20> kCihp{
    "background", "hat",      "hair",    "glove",     "sunglasses", "upperclothes", "dress",
    "coat",       "socks",    "pants",   "torsoSkin", "scarf",      "skirt",        "face",
    "leftArm",    "rightArm", "leftLeg", "rightLeg",  "leftShoe",   "rightShoe"};

Preset parsing(std::string name, std::string about, const std::array<std::string_view, 20>& names) {
  Preset preset = preset_of(std::move(name), std::move(about), named_table(names));
  for (std::size_t id = 0; id < kColors.size(); ++id) preset.table.classes[id].color = kColors[id];
  preset.table.has_colors = true;
  return preset;
}

}  // namespace

std::vector<Preset> people_presets() {
  return {
      parsing("lip20", "LIP, ids of 20 parts of people and clothes, background among them", kLip),
      parsing("cihp20", "CIHP category ids, 20 parts of people and clothes, background among them",
              kCihp)};
}

}  // namespace hotpack::labels
