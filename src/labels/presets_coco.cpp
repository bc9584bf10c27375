// COCO-Stuff.
#include <algorithm>
#include <array>

#include "base/words.hpp"
#include "labels/preset_data.hpp"

namespace hotpack::labels {
namespace {

// 80 things, then 91 kinds of stuff.
constexpr std::array<std::string_view, 171> kNames{"person",
                                                   "bicycle",
                                                   "car",
                                                   "motorcycle",
                                                   "airplane",
                                                   "bus",
                                                   "train",
                                                   "truck",
                                                   "boat",
                                                   "traffic light",
                                                   "fire hydrant",
                                                   "stop sign",
                                                   "parking meter",
                                                   "bench",
                                                   "bird",
                                                   "cat",
                                                   "dog",
                                                   "horse",
                                                   "sheep",
                                                   "cow",
                                                   "elephant",
                                                   "bear",
                                                   "zebra",
                                                   "giraffe",
                                                   "backpack",
                                                   "umbrella",
                                                   "handbag",
                                                   "tie",
                                                   "suitcase",
                                                   "frisbee",
                                                   "skis",
                                                   "snowboard",
                                                   "sports ball",
                                                   "kite",
                                                   "baseball bat",
                                                   "baseball glove",
                                                   "skateboard",
                                                   "surfboard",
                                                   "tennis racket",
                                                   "bottle",
                                                   "wine glass",
                                                   "cup",
                                                   "fork",
                                                   "knife",
                                                   "spoon",
                                                   "bowl",
                                                   "banana",
                                                   "apple",
                                                   "sandwich",
                                                   "orange",
                                                   "broccoli",
                                                   "carrot",
                                                   "hot dog",
                                                   "pizza",
                                                   "donut",
                                                   "cake",
                                                   "chair",
                                                   "couch",
                                                   "potted plant",
                                                   "bed",
                                                   "dining table",
                                                   "toilet",
                                                   "tv",
                                                   "laptop",
                                                   "mouse",
                                                   "remote",
                                                   "keyboard",
                                                   "cell phone",
                                                   "microwave",
                                                   "oven",
                                                   "toaster",
                                                   "sink",
                                                   "refrigerator",
                                                   "book",
                                                   "clock",
                                                   "vase",
                                                   "scissors",
                                                   "teddy bear",
                                                   "hair drier",
                                                   "toothbrush",
                                                   "banner",
                                                   "blanket",
                                                   "branch",
                                                   "bridge",
                                                   "building-other",
                                                   "bush",
                                                   "cabinet",
                                                   "cage",
                                                   "cardboard",
                                                   "carpet",
                                                   "ceiling-other",
                                                   "ceiling-tile",
                                                   "cloth",
                                                   "clothes",
                                                   "clouds",
                                                   "counter",
                                                   "cupboard",
                                                   "curtain",
                                                   "desk-stuff",
                                                   "dirt",
                                                   "door-stuff",
                                                   "fence",
                                                   "floor-marble",
                                                   "floor-other",
                                                   "floor-stone",
                                                   "floor-tile",
                                                   "floor-wood",
                                                   "flower",
                                                   "fog",
                                                   "food-other",
                                                   "fruit",
                                                   "furniture-other",
                                                   "grass",
                                                   "gravel",
                                                   "ground-other",
                                                   "hill",
                                                   "house",
                                                   "leaves",
                                                   "light",
                                                   "mat",
                                                   "metal",
                                                   "mirror-stuff",
                                                   "moss",
                                                   "mountain",
                                                   "mud",
                                                   "napkin",
                                                   "net",
                                                   "paper",
                                                   "pavement",
                                                   "pillow",
                                                   "plant-other",
                                                   "plastic",
                                                   "platform",
                                                   "playingfield",
                                                   "railing",
                                                   "railroad",
                                                   "river",
                                                   "road",
                                                   "rock",
                                                   "roof",
                                                   "rug",
                                                   "salad",
                                                   "sand",
                                                   "sea",
                                                   "shelf",
                                                   "sky-other",
                                                   "skyscraper",
                                                   "snow",
                                                   "solid-other",
                                                   "stairs",
                                                   "stone",
                                                   "straw",
                                                   "structural-other",
                                                   "table",
                                                   "tent",
                                                   "textile-other",
                                                   "towel",
                                                   "tree",
                                                   "vegetable",
                                                   "wall-brick",
                                                   "wall-concrete",
                                                   "wall-other",
                                                   "wall-panel",
                                                   "wall-stone",
                                                   "wall-tile",
                                                   "wall-wood",
                                                   "water-other",
                                                   "waterdrops",
                                                   "window-blind",
                                                   "window-other",
                                                   "wood"};

// Ids of 0…181 that no file has: categories that COCO numbered and never annotated.
constexpr std::array<int, 11> kUnused{11, 25, 28, 29, 44, 65, 67, 68, 70, 82, 90};

// Maps the ids of the first names, each of which is `more` higher than in COCO-Stuff.
std::string id_map(std::size_t names, int more) {
  std::string map;
  int id = 0;
  for (std::size_t name = 0; name < names; ++name, ++id) {
    while (std::find(kUnused.begin(), kUnused.end(), id) != kUnused.end()) ++id;
    map += std::to_string(id + more) + "," + std::to_string(name) + "\n";
  }
  return map;
}

// The panoptic task has the same things, and its own stuff.
constexpr std::size_t kThings = 80;

struct Stuff {
  int id;
  std::string_view name;
};
constexpr std::array<Stuff, 53> kPanopticStuff{{{92, "banner"},
                                                {93, "blanket"},
                                                {95, "bridge"},
                                                {100, "cardboard"},
                                                {107, "counter"},
                                                {109, "curtain"},
                                                {112, "door-stuff"},
                                                {118, "floor-wood"},
                                                {119, "flower"},
                                                {122, "fruit"},
                                                {125, "gravel"},
                                                {128, "house"},
                                                {130, "light"},
                                                {133, "mirror-stuff"},
                                                {138, "net"},
                                                {141, "pillow"},
                                                {144, "platform"},
                                                {145, "playingfield"},
                                                {147, "railroad"},
                                                {148, "river"},
                                                {149, "road"},
                                                {151, "roof"},
                                                {154, "sand"},
                                                {155, "sea"},
                                                {156, "shelf"},
                                                {159, "snow"},
                                                {161, "stairs"},
                                                {166, "tent"},
                                                {168, "towel"},
                                                {171, "wall-brick"},
                                                {175, "wall-stone"},
                                                {176, "wall-tile"},
                                                {177, "wall-wood"},
                                                {178, "water-other"},
                                                {180, "window-blind"},
                                                {181, "window-other"},
                                                {184, "tree-merged"},
                                                {185, "fence-merged"},
                                                {186, "ceiling-merged"},
                                                {187, "sky-other-merged"},
                                                {188, "cabinet-merged"},
                                                {189, "table-merged"},
                                                {190, "floor-other-merged"},
                                                {191, "pavement-merged"},
                                                {192, "mountain-merged"},
                                                {193, "grass-merged"},
                                                {194, "dirt-merged"},
                                                {195, "paper-merged"},
                                                {196, "food-other-merged"},
                                                {197, "building-other-merged"},
                                                {198, "rock-merged"},
                                                {199, "wall-other-merged"},
                                                {200, "rug-merged"}}};

Preset panoptic_preset() {
  std::vector<std::string_view> names(kNames.begin(), kNames.begin() + kThings);
  std::string map = "0,ignore\n" + id_map(kThings, 1);
  for (const Stuff& stuff : kPanopticStuff) {
    map += std::to_string(stuff.id) + "," + std::to_string(names.size()) + "\n";
    names.push_back(stuff.name);
  }
  Preset preset = preset_of("coco-panoptic133",
                            "COCO panoptic categories in RGB, id r+256g+65536b of 1…200, 133 "
                            "classes; 0 ignored; not for ids of segments",
                            named_table(names));
  preset.kind = LabelKind::rgb_id;
  preset.rgb_id = RgbId::low_first;
  preset.map = std::move(map);
  return preset;
}

}  // namespace

std::vector<Preset> coco_presets() {
  Preset raw = preset_of("coco-stuff171",
                         "COCO-Stuff 164k as published, ids 0…181, 171 classes; 255 ignored",
                         named_table(kNames));
  raw.map = id_map(kNames.size(), 0);

  Preset train_ids = preset_of("coco-stuff171-trainids",
                               "COCO-Stuff 164k converted to ids 0…170; 255 ignored", raw.table);
  train_ids.label_suffix = "_labelTrainIds";
  return {raw, train_ids, panoptic_preset()};
}

}  // namespace hotpack::labels
