#include "labels/presets.hpp"
#include "base/words.hpp"

#include <set>
#include <string>
#include <vector>

#include "labels/label_map.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::labels;

namespace {

const Preset& preset(std::string_view name) {
  const Preset* const found = find_preset(name);
  REQUIRE(found != nullptr);
  return *found;
}

// The preset's map applied to its ids; empty without a map.
std::vector<MappedValue> map_of(const Preset& one) {
  if (one.map.empty()) return {};
  return resolve_map(parse_label_map(one.map, one.name).value(), one.table, nullptr).value();
}

std::uint16_t class_of(const Preset& one, std::uint32_t id) {
  for (const MappedValue& value : map_of(one))
    if (value.value == id) return value.class_id;
  FAIL("id " << id << " is not in the map of " << one.name);
  return kIgnored;
}

std::string name_of(const Preset& one, std::uint32_t id) {
  return one.table.classes.at(class_of(one, id)).name;
}

}  // namespace

TEST_CASE("every preset has a description, distinct classes and a valid map") {
  CHECK(preset_names().size() > 20);
  std::set<std::string_view> names;
  for (const std::string_view name : preset_names()) {
    INFO(name);
    const Preset& one = preset(name);
    CHECK(names.insert(name).second);
    CHECK(one.name == name);
    CHECK_FALSE(one.about.empty());
    CHECK(one.about.find('\n') == std::string::npos);
    std::set<std::string> classes;
    for (const ClassInfo& info : one.table.classes) {
      CHECK_FALSE(info.name.empty());
      CHECK(classes.insert(info.name).second);
      CHECK(info.color.has_value() == one.table.has_colors);
    }
    std::set<std::uint16_t> reached;
    for (const MappedValue& value : map_of(one))
      if (value.class_id != kIgnored) reached.insert(value.class_id);
    CHECK((one.map.empty() || reached.size() == one.table.classes.size()));
  }
}

TEST_CASE("presets for colors have distinct class colors") {
  for (const std::string_view name : preset_names()) {
    const Preset& one = preset(name);
    if (one.kind != LabelKind::color && one.kind != LabelKind::automatic) continue;
    INFO(name);
    REQUIRE(one.table.has_colors);
    std::set<RgbColor> colors;
    for (const ClassInfo& info : one.table.classes) CHECK(colors.insert(*info.color).second);
  }
}

TEST_CASE("presets have the class counts of their data sets") {
  const std::vector<std::pair<std::string_view, std::size_t>> counts{
      {"voc", 21},
      {"pets", 2},
      {"pets3", 3},
      {"cityscapes19", 19},
      {"cityscapes19-trainids", 19},
      {"cityscapes34", 34},
      {"bdd100k", 19},
      {"camvid11", 11},
      {"camvid32", 32},
      {"mapillary65", 65},
      {"ade20k150", 150},
      {"ade20k-full", 3688},
      {"nyu40", 40},
      {"coco-stuff171", 171},
      {"coco-stuff171-trainids", 171},
      {"coco-panoptic133", 133},
      {"loveda", 7},
      {"potsdam", 6},
      {"vaihingen", 6},
      {"isaid", 16},
      {"deepglobe", 6},
      {"lip20", 20},
      {"cihp20", 20},
      {"drive", 2},
      {"chase", 2},
      {"stare", 2},
      {"hrf", 2},
      {"refuge", 3},
      {"kvasir", 2}};
  CHECK(counts.size() == preset_names().size());
  for (const auto& [name, count] : counts) {
    INFO(name);
    CHECK(preset(name).table.classes.size() == count);
  }
}

TEST_CASE("PASCAL VOC colors follow their rule") {
  const Preset& voc = preset("voc");
  for (std::size_t id = 0; id < voc.table.classes.size(); ++id) {
    RgbColor color{};
    std::size_t rest = id;
    for (int bit = 7; rest > 0; --bit, rest >>= 3)
      for (std::size_t channel = 0; channel < 3; ++channel)
        color[channel] = static_cast<std::uint8_t>(color[channel] | ((rest >> channel & 1) << bit));
    CHECK(voc.table.classes[id].color == color);
  }
  CHECK(voc.table.classes[20].name == "tvmonitor");
}

TEST_CASE("Cityscapes label ids become the nineteen classes") {
  const Preset& one = preset("cityscapes19");
  CHECK(one.image_suffix == "_leftImg8bit");
  CHECK(one.label_suffix == "_gtFine_labelIds");
  CHECK(map_of(one).size() == 34);
  CHECK(class_of(one, 0) == kIgnored);
  CHECK(name_of(one, 7) == "road");
  CHECK(name_of(one, 17) == "pole");
  CHECK(class_of(one, 18) == kIgnored);
  CHECK(name_of(one, 26) == "car");
  CHECK(class_of(one, 29) == kIgnored);
  CHECK(name_of(one, 31) == "train");
  CHECK(class_of(one, 33) == 18);
  for (const MappedValue& value : map_of(one))
    if (value.class_id != kIgnored)
      CHECK(preset("cityscapes34").table.classes[value.value] == one.table.classes[value.class_id]);
  CHECK(preset("cityscapes19-trainids").label_suffix == "_gtFine_labelTrainIds");
}

TEST_CASE("ids of data sets with 0 as no class are shifted by one") {
  for (const std::string_view name : {"ade20k150", "nyu40", "loveda", "potsdam", "vaihingen"}) {
    INFO(name);
    const Preset& one = preset(name);
    CHECK(class_of(one, 0) == kIgnored);
    CHECK(class_of(one, 1) == 0);
    CHECK(class_of(one, static_cast<std::uint32_t>(one.table.classes.size())) ==
          one.table.classes.size() - 1);
  }
  CHECK(name_of(preset("ade20k150"), 1) == "wall");
  CHECK(name_of(preset("ade20k150"), 150) == "flag");
}

TEST_CASE("COCO-Stuff omits ids that were never annotated") {
  const Preset& one = preset("coco-stuff171");
  CHECK(map_of(one).size() == 171);
  CHECK(name_of(one, 0) == "person");
  CHECK(name_of(one, 12) == "stop sign");
  CHECK(name_of(one, 89) == "toothbrush");
  CHECK(name_of(one, 91) == "banner");
  CHECK(name_of(one, 181) == "wood");
  for (const MappedValue& value : map_of(one)) CHECK((value.value != 11 && value.value != 90));
}

TEST_CASE("presets for trimaps and eye masks are correct") {
  CHECK(name_of(preset("pets"), 1) == "pet");
  CHECK(class_of(preset("pets"), 3) == kIgnored);
  CHECK(name_of(preset("pets3"), 3) == "border");
  CHECK(name_of(preset("refuge"), 255) == "background");
  CHECK(name_of(preset("refuge"), 0) == "optic cup");
  CHECK(name_of(preset("refuge"), 128) == "optic disc");
  for (const std::string_view name : {"drive", "chase", "stare", "hrf"}) {
    CHECK(class_of(preset(name), 0) == 0);
    CHECK(class_of(preset(name), 1) == 1);
    CHECK(class_of(preset(name), 255) == 1);
  }
  CHECK(preset("kvasir").kind == LabelKind::binary);
}

TEST_CASE("an unknown preset does not exist") {
  CHECK(find_preset("voc2") == nullptr);
  CHECK(find_preset("") == nullptr);
}

TEST_CASE("presets of ids in colors name the formula") {
  const Preset& panoptic = preset("coco-panoptic133");
  CHECK(panoptic.kind == LabelKind::rgb_id);
  CHECK(panoptic.rgb_id == RgbId::low_first);
  CHECK(class_of(panoptic, 0) == kIgnored);
  CHECK(name_of(panoptic, 1) == "person");
  CHECK(name_of(panoptic, 90) == "toothbrush");
  CHECK(name_of(panoptic, 92) == "banner");
  CHECK(name_of(panoptic, 200) == "rug-merged");
  const Preset& ade = preset("ade20k-full");
  CHECK(ade.rgb_id == RgbId::tens_of_red);
  CHECK(ade.label_suffix == "_seg");
}
