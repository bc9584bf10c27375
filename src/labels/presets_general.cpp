// PASCAL VOC and Oxford-IIIT Pet.
#include <array>

#include "base/words.hpp"
#include "labels/preset_data.hpp"

namespace hotpack::labels {
namespace {

constexpr std::array<NamedColor, 21> kVoc{{
    {"background", {0, 0, 0}},   {"aeroplane", {128, 0, 0}},  {"bicycle", {0, 128, 0}},
    {"bird", {128, 128, 0}},     {"boat", {0, 0, 128}},       {"bottle", {128, 0, 128}},
    {"bus", {0, 128, 128}},      {"car", {128, 128, 128}},    {"cat", {64, 0, 0}},
    {"chair", {192, 0, 0}},      {"cow", {64, 128, 0}},       {"diningtable", {192, 128, 0}},
    {"dog", {64, 0, 128}},       {"horse", {192, 0, 128}},    {"motorbike", {64, 128, 128}},
    {"person", {192, 128, 128}}, {"pottedplant", {0, 64, 0}}, {"sheep", {128, 64, 0}},
    {"sofa", {0, 192, 0}},       {"train", {128, 192, 0}},    {"tvmonitor", {0, 64, 128}},
}};

constexpr std::array<std::string_view, 2> kPets{"pet", "background"};
constexpr std::array<std::string_view, 3> kPetsAndBorder{"pet", "background", "border"};

}  // namespace

std::vector<Preset> general_presets() {
  Preset voc = preset_of("voc",
                         "PASCAL VOC 2012, 21 classes with background; palette or RGB labels, "
                         "object borders (255) ignored",
                         colored_table(kVoc));
  voc.kind = LabelKind::automatic;
  voc.ignore = {"255", "#e0e0c0"};

  Preset pets = preset_of(
      "pets", "Oxford-IIIT Pet trimaps: pet, background; the border between them (3) ignored",
      named_table(kPets));
  pets.map = "1,0\n2,1\n3,ignore\n";

  Preset pets3 = preset_of("pets3", "Oxford-IIIT Pet trimaps: pet, background, border",
                           named_table(kPetsAndBorder));
  pets3.map = "1,0\n2,1\n3,2\n";
  return {voc, pets, pets3};
}

}  // namespace hotpack::labels
