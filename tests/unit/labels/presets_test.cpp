#include "labels/presets.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/checksum.hpp"
#include "base/text.hpp"
#include "base/words.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;
using namespace hotpack::labels;

namespace {

const Preset& preset(std::string_view name) {
  const Preset* const found = find_preset(name);
  REQUIRE(found != nullptr);
  return *found;
}

std::uint16_t class_of(const Preset& one, std::uint32_t id) {
  for (const MappedValue& value : one.values)
    if (value.value == id) return value.class_id;
  FAIL("id " << id << " is not in the map of " << one.name);
  return kIgnored;
}

std::string name_of(const Preset& one, std::uint32_t id) {
  return one.table.classes.at(class_of(one, id)).name;
}

// A checksum of everything that decides about the bytes of a pack.
std::uint32_t digest(const Preset& one) {
  std::string text = std::string(word_of(one.kind)) + "," + std::string(rgb_id_name(one.rgb_id)) +
                     "," + one.image_suffix + "," + one.label_suffix;
  for (const std::string& word : one.ignore) text += "," + word;
  for (const ClassInfo& info : one.table.classes)
    text += "\n" + info.name + "," + (info.color ? color_text(*info.color) : "");
  for (const MappedValue& value : one.values)
    text += "\n" + std::to_string(value.value) + "," + std::to_string(value.class_id);
  return crc32c(std::as_bytes(std::span(text)));
}

Error refused(std::string_view text) {
  const Result<Preset> preset = parse_preset(text, "own.csv");
  REQUIRE_FALSE(preset.ok());
  CHECK(preset.error().path == "own.csv");
  CHECK(preset.error().code == ErrorCode::data);
  return preset.error();
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
    for (const MappedValue& value : one.values)
      if (value.class_id != kIgnored) reached.insert(value.class_id);
    CHECK((one.values.empty() || reached.size() == one.table.classes.size()));
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

// A change of these numbers changes the packs that users make with the preset.
TEST_CASE("presets have the classes and ids of their data sets") {
  struct Known {
    std::string_view name;
    std::size_t classes;
    std::uint32_t digest;
  };
  const std::vector<Known> all{{"voc", 21, 0x437b19a4},
                               {"pets", 2, 0x07a35f90},
                               {"pets3", 3, 0x8938fc92},
                               {"cityscapes19", 19, 0x3a09b501},
                               {"cityscapes19-trainids", 19, 0xa360bdbf},
                               {"cityscapes34", 34, 0xaeb87cdf},
                               {"bdd100k", 19, 0xb166d5e2},
                               {"camvid11", 11, 0xb08b8e84},
                               {"camvid32", 32, 0x78f16b26},
                               {"mapillary65", 65, 0x3b3113ee},
                               {"ade20k150", 150, 0x8afbeb20},
                               {"ade20k-full", 3688, 0xe5ecad8c},
                               {"nyu40", 40, 0x561d8362},
                               {"coco-stuff171", 171, 0x9a843c50},
                               {"coco-stuff171-trainids", 171, 0xa40df1bc},
                               {"coco-panoptic133", 133, 0x934e0fac},
                               {"loveda", 7, 0x7b512442},
                               {"potsdam", 6, 0xb687bcc7},
                               {"vaihingen", 6, 0xb687bcc7},
                               {"isaid", 16, 0x5ddea1c8},
                               {"deepglobe", 6, 0x088789f5},
                               {"lip20", 20, 0xfc09478e},
                               {"cihp20", 20, 0x42565cdb},
                               {"drive", 2, 0x14d9aa54},
                               {"chase", 2, 0x48b760bc},
                               {"stare", 2, 0x9ad8c67e},
                               {"hrf", 2, 0xd9955156},
                               {"refuge", 3, 0x0bb310fb},
                               {"kvasir", 2, 0xa40305e2}};
  CHECK(all.size() == preset_names().size());
  for (const auto& [name, classes, expected] : all) {
    INFO(name);
    CHECK(preset(name).table.classes.size() == classes);
    CHECK(digest(preset(name)) == expected);
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
  CHECK(one.values.size() == 34);
  CHECK(class_of(one, 0) == kIgnored);
  CHECK(name_of(one, 7) == "road");
  CHECK(name_of(one, 17) == "pole");
  CHECK(class_of(one, 18) == kIgnored);
  CHECK(name_of(one, 26) == "car");
  CHECK(class_of(one, 29) == kIgnored);
  CHECK(name_of(one, 31) == "train");
  CHECK(class_of(one, 33) == 18);
  for (const MappedValue& value : one.values)
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
  CHECK(one.values.size() == 171);
  CHECK(name_of(one, 0) == "person");
  CHECK(name_of(one, 12) == "stop sign");
  CHECK(name_of(one, 89) == "toothbrush");
  CHECK(name_of(one, 91) == "banner");
  CHECK(name_of(one, 181) == "wood");
  for (const MappedValue& value : one.values) CHECK((value.value != 11 && value.value != 90));
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
  const auto error = read_preset("voc2").error();
  CHECK(error.code == ErrorCode::usage);
  CHECK_THAT(error.message, ContainsSubstring("--preset voc2") &&
                                ContainsSubstring("\n  voc: PASCAL VOC") &&
                                ContainsSubstring("ends with .csv"));
  CHECK(read_preset("").value() == nullptr);
}

TEST_CASE("the names of presets are in byte order") {
  const std::vector<std::string_view> names = preset_names();
  CHECK(std::is_sorted(names.begin(), names.end()));
}

TEST_CASE("a preset is read from a file") {
  const TempFolder folder;
  const std::string path = folder / "own.csv";
  folder.write("own.csv",
               "\xEF\xBB\xBF# of our own\r\nabout,\"Fields, two classes\"\nlabel-kind,auto\n"
               "ignore,255\nignore,#010203\nimage-suffix,_rgb\nlabel-suffix,_cls\n\n"
               "name,ids,color\nignore,0 9\n\"soil, bare\",2 1,#112233\nweed,5,#ff0000\n");
  const auto own = read_preset(path).value();
  CHECK(own->name == path);
  CHECK(own->about == "Fields, two classes");
  CHECK(own->kind == LabelKind::automatic);
  CHECK(own->ignore == std::vector<std::string>{"255", "#010203"});
  CHECK((own->image_suffix == "_rgb" && own->label_suffix == "_cls"));
  CHECK(own->table.has_colors);
  CHECK(own->table.classes[0].name == "soil, bare");
  CHECK(own->table.classes[1].color == RgbColor{255, 0, 0});
  const std::vector<MappedValue> values{{0, kIgnored}, {1, 0}, {2, 0}, {5, 1}, {9, kIgnored}};
  CHECK(own->values == values);
  CHECK(read_preset(folder / "none.csv").error().code == ErrorCode::io);
}

TEST_CASE("a value of --preset with a slash or .csv is a file") {
  CHECK(is_preset_file("own.csv"));
  CHECK(is_preset_file("./voc"));
  CHECK_FALSE(is_preset_file("voc"));
}

TEST_CASE("a faulty preset is refused with the line") {
  const auto refuses = [](std::string_view text, const std::string& part) {
    INFO(text);
    CHECK_THAT(refused(text).message, ContainsSubstring(part));
  };
  refuses("", "no class in this preset; expected about, label-kind");
  refuses("about,x\n", "no class in this preset");
  refuses("kind,auto\nname\nsky\n", "line 1: 'kind'; expected about, label-kind");
  refuses("about,Fields, two classes\nname\nsky\n", "line 1: 'about' has 3 columns");
  refuses("about\nname\nsky\n", "line 1: 'about' has 1 column");
  refuses("label-kind,colour\nname\nsky\n", "'colour' is no value of --label-kind");
  refuses("rgb-id,r+g\nname\nsky\n", "'r+g' is no value of --rgb-id");
  refuses("num-classes,2\nnum-classes,3\n", "line 2: 'num-classes' stands in an earlier row");
  refuses("num-classes,0\n", "line 1: '0' is not a number of classes");
  refuses("num-classes,2\nname\nsky\n", "line 2: num-classes and a table");
  refuses("name,colour\nsky,#000000\n", "line 1: 'colour'; expected the columns");
  refuses("name,ids,ids\nsky,1,2\n", "line 1: 'ids'; expected the columns");
  refuses("name,ids\nsky,1,2\n", "line 2: has 3 columns, expected 2");
  refuses("name,color\nsky,red\n", "line 2: 'red' is not a color");
  refuses("name,ids\nsky,70000\n", "line 2: '70000' is not an id");
  refuses("name,ids\nsky,1\nsea,2 1\n", "line 3: the id 1 also stands in another row");
  refuses("name\nsky\nsky\n", "line 3: name 'sky' is also in line 2");
  refuses("label-kind,color\nname,color\nsky,#000000\nsea,#000000\n",
          "line 4: color #000000 is also in line 3");
  refuses("name\n\"sky\n", "line 2: a quote is opened");
}

TEST_CASE("classes that are read by ids may have the same color") {
  const Preset one = parse_preset("name,color\nsky,#000000\nsea,#000000\n", "own.csv").value();
  CHECK(one.table.has_colors);
  CHECK(one.table.classes[1].color == RgbColor{0, 0, 0});
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
