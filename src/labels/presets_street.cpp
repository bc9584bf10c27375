// Cityscapes and what shares its classes, CamVid, Mapillary Vistas.
#include <array>

#include "base/words.hpp"
#include "labels/preset_data.hpp"

namespace hotpack::labels {
namespace {

constexpr std::array<NamedColor, 19> kCityscapes19{{
    {"road", {128, 64, 128}},
    {"sidewalk", {244, 35, 232}},
    {"building", {70, 70, 70}},
    {"wall", {102, 102, 156}},
    {"fence", {190, 153, 153}},
    {"pole", {153, 153, 153}},
    {"traffic light", {250, 170, 30}},
    {"traffic sign", {220, 220, 0}},
    {"vegetation", {107, 142, 35}},
    {"terrain", {152, 251, 152}},
    {"sky", {70, 130, 180}},
    {"person", {220, 20, 60}},
    {"rider", {255, 0, 0}},
    {"car", {0, 0, 142}},
    {"truck", {0, 0, 70}},
    {"bus", {0, 60, 100}},
    {"train", {0, 80, 100}},
    {"motorcycle", {0, 0, 230}},
    {"bicycle", {119, 11, 32}},
}};

// Maps label ids to the nineteen classes; the other ids are ignored.
constexpr std::array<int, 19> kCityscapesIds{7,  8,  11, 12, 13, 17, 19, 20, 21, 22,
                                             23, 24, 25, 26, 27, 28, 31, 32, 33};

constexpr std::array<NamedColor, 34> kCityscapes34{{
    {"unlabeled", {0, 0, 0}},
    {"ego vehicle", {0, 0, 0}},
    {"rectification border", {0, 0, 0}},
    {"out of roi", {0, 0, 0}},
    {"static", {0, 0, 0}},
    {"dynamic", {111, 74, 0}},
    {"ground", {81, 0, 81}},
    {"road", {128, 64, 128}},
    {"sidewalk", {244, 35, 232}},
    {"parking", {250, 170, 160}},
    {"rail track", {230, 150, 140}},
    {"building", {70, 70, 70}},
    {"wall", {102, 102, 156}},
    {"fence", {190, 153, 153}},
    {"guard rail", {180, 165, 180}},
    {"bridge", {150, 100, 100}},
    {"tunnel", {150, 120, 90}},
    {"pole", {153, 153, 153}},
    {"polegroup", {153, 153, 153}},
    {"traffic light", {250, 170, 30}},
    {"traffic sign", {220, 220, 0}},
    {"vegetation", {107, 142, 35}},
    {"terrain", {152, 251, 152}},
    {"sky", {70, 130, 180}},
    {"person", {220, 20, 60}},
    {"rider", {255, 0, 0}},
    {"car", {0, 0, 142}},
    {"truck", {0, 0, 70}},
    {"bus", {0, 60, 100}},
    {"caravan", {0, 0, 90}},
    {"trailer", {0, 0, 110}},
    {"train", {0, 80, 100}},
    {"motorcycle", {0, 0, 230}},
    {"bicycle", {119, 11, 32}},
}};

// In the order of the ids in SegNet's copy of CamVid.
constexpr std::array<NamedColor, 11> kCamvid11{{
    {"sky", {128, 128, 128}},
    {"building", {128, 0, 0}},
    {"pole", {192, 192, 128}},
    {"road", {128, 64, 128}},
    {"pavement", {60, 40, 222}},
    {"tree", {128, 128, 0}},
    {"sign symbol", {192, 128, 128}},
    {"fence", {64, 64, 128}},
    {"car", {64, 0, 128}},
    {"pedestrian", {64, 64, 0}},
    {"bicyclist", {0, 128, 192}},
}};

constexpr std::array<NamedColor, 32> kCamvid32{{
    {"Animal", {64, 128, 64}},
    {"Archway", {192, 0, 128}},
    {"Bicyclist", {0, 128, 192}},
    {"Bridge", {0, 128, 64}},
    {"Building", {128, 0, 0}},
    {"Car", {64, 0, 128}},
    {"CartLuggagePram", {64, 0, 192}},
    {"Child", {192, 128, 64}},
    {"Column_Pole", {192, 192, 128}},
    {"Fence", {64, 64, 128}},
    {"LaneMkgsDriv", {128, 0, 192}},
    {"LaneMkgsNonDriv", {192, 0, 64}},
    {"Misc_Text", {128, 128, 64}},
    {"MotorcycleScooter", {192, 0, 192}},
    {"OtherMoving", {128, 64, 64}},
    {"ParkingBlock", {64, 192, 128}},
    {"Pedestrian", {64, 64, 0}},
    {"Road", {128, 64, 128}},
    {"RoadShoulder", {128, 128, 192}},
    {"Sidewalk", {0, 0, 192}},
    {"SignSymbol", {192, 128, 128}},
    {"Sky", {128, 128, 128}},
    {"SUVPickupTruck", {64, 128, 192}},
    {"TrafficCone", {0, 0, 64}},
    {"TrafficLight", {0, 64, 64}},
    {"Train", {192, 64, 128}},
    {"Tree", {128, 128, 0}},
    {"Truck_Bus", {192, 128, 192}},
    {"Tunnel", {64, 0, 64}},
    {"VegetationMisc", {192, 192, 0}},
    {"Void", {0, 0, 0}},
    {"Wall", {64, 192, 0}},
}};

constexpr std::array<NamedColor, 65> kMapillary{{
    {"Bird", {165, 42, 42}},
    {"Ground Animal", {0, 192, 0}},
    {"Curb", {196, 196, 196}},
    {"Fence", {190, 153, 153}},
    {"Guard Rail", {180, 165, 180}},
    {"Barrier", {90, 120, 150}},
    {"Wall", {102, 102, 156}},
    {"Bike Lane", {128, 64, 255}},
    {"Crosswalk - Plain", {140, 140, 200}},
    {"Curb Cut", {170, 170, 170}},
    {"Parking", {250, 170, 160}},
    {"Pedestrian Area", {96, 96, 96}},
    {"Rail Track", {230, 150, 140}},
    {"Road", {128, 64, 128}},
    {"Service Lane", {110, 110, 110}},
    {"Sidewalk", {244, 35, 232}},
    {"Bridge", {150, 100, 100}},
    {"Building", {70, 70, 70}},
    {"Tunnel", {150, 120, 90}},
    {"Person", {220, 20, 60}},
    {"Bicyclist", {255, 0, 0}},
    {"Motorcyclist", {255, 0, 100}},
    {"Other Rider", {255, 0, 200}},
    {"Lane Marking - Crosswalk", {200, 128, 128}},
    {"Lane Marking - General", {255, 255, 255}},
    {"Mountain", {64, 170, 64}},
    {"Sand", {230, 160, 50}},
    {"Sky", {70, 130, 180}},
    {"Snow", {190, 255, 255}},
    {"Terrain", {152, 251, 152}},
    {"Vegetation", {107, 142, 35}},
    {"Water", {0, 170, 30}},
    {"Banner", {255, 255, 128}},
    {"Bench", {250, 0, 30}},
    {"Bike Rack", {100, 140, 180}},
    {"Billboard", {220, 220, 220}},
    {"Catch Basin", {220, 128, 128}},
    {"CCTV Camera", {222, 40, 40}},
    {"Fire Hydrant", {100, 170, 30}},
    {"Junction Box", {40, 40, 40}},
    {"Mailbox", {33, 33, 33}},
    {"Manhole", {100, 128, 160}},
    {"Phone Booth", {142, 0, 0}},
    {"Pothole", {70, 100, 150}},
    {"Street Light", {210, 170, 100}},
    {"Pole", {153, 153, 153}},
    {"Traffic Sign Frame", {128, 128, 128}},
    {"Utility Pole", {0, 0, 80}},
    {"Traffic Light", {250, 170, 30}},
    {"Traffic Sign (Back)", {192, 192, 192}},
    {"Traffic Sign (Front)", {220, 220, 0}},
    {"Trash Can", {140, 140, 20}},
    {"Bicycle", {119, 11, 32}},
    {"Boat", {150, 0, 255}},
    {"Bus", {0, 60, 100}},
    {"Car", {0, 0, 142}},
    {"Caravan", {0, 0, 90}},
    {"Motorcycle", {0, 0, 230}},
    {"On Rails", {0, 80, 100}},
    {"Other Vehicle", {128, 64, 64}},
    {"Trailer", {0, 0, 110}},
    {"Truck", {0, 0, 70}},
    {"Wheeled Slow", {0, 0, 192}},
    {"Car Mount", {32, 32, 32}},
    {"Ego Vehicle", {120, 10, 10}},
}};

std::string cityscapes_map() {
  std::string map;
  std::size_t next = 0;
  for (int id = 0; id < static_cast<int>(kCityscapes34.size()); ++id) {
    const bool is_class = next < kCityscapesIds.size() && kCityscapesIds[next] == id;
    map += std::to_string(id) + "," + (is_class ? std::to_string(next++) : "ignore") + "\n";
  }
  return map;
}

Preset cityscapes(std::string name, std::string about, std::span<const NamedColor> classes,
                  std::string label_suffix) {
  Preset preset = preset_of(std::move(name), std::move(about), colored_table(classes));
  preset.image_suffix = "_leftImg8bit";
  preset.label_suffix = std::move(label_suffix);
  return preset;
}

std::vector<Preset> cityscapes_presets() {
  Preset nineteen = cityscapes(
      "cityscapes19", "Cityscapes label ids, the 19 classes of the benchmark; all others ignored",
      kCityscapes19, "_gtFine_labelIds");
  nineteen.map = cityscapes_map();
  return {nineteen,
          cityscapes("cityscapes19-trainids", "Cityscapes train ids, 19 classes; 255 ignored",
                     kCityscapes19, "_gtFine_labelTrainIds"),
          cityscapes("cityscapes34", "Cityscapes label ids, all 34 as classes", kCityscapes34,
                     "_gtFine_labelIds")};
}

}  // namespace

std::vector<Preset> street_presets() {
  std::vector<Preset> presets = cityscapes_presets();
  Preset bdd = preset_of("bdd100k", "BDD100K masks, the 19 classes of Cityscapes; 255 ignored",
                         colored_table(kCityscapes19));

  Preset camvid11 =
      preset_of("camvid11", "CamVid as SegNet has it, ids of 11 classes; 11 (unlabeled) ignored",
                colored_table(kCamvid11));
  camvid11.ignore = {"11"};

  Preset camvid32 =
      preset_of("camvid32", "CamVid as published, colors of 32 classes, Void among them",
                colored_table(kCamvid32));
  camvid32.kind = LabelKind::color;
  camvid32.label_suffix = "_L";

  Preset mapillary =
      preset_of("mapillary65", "Mapillary Vistas v1.2, 65 classes; Unlabeled (65) ignored",
                colored_table(kMapillary));
  mapillary.ignore = {"65"};
  presets.insert(presets.end(), {bdd, camvid11, camvid32, mapillary});
  return presets;
}

}  // namespace hotpack::labels
