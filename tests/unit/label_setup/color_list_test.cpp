#include "label_setup/color_list.hpp"

#include "labels/class_table.hpp"
#include "labels/label_map.hpp"
#include "labels/presets.hpp"
#include "settings/arena.hpp"
#include "support/inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

ColorList listed(const TempFolder& folder, std::size_t most = 1000) {
  const SampleList list = samples_of(options_for(folder));
  const SampleList* const lists[] = {&list};
  Recorder recorder;
  return list_colors(lists, PackOptions(), most, recorder).value();
}

void put_sample(const TempFolder& folder, const std::string& key, const Bytes& label) {
  put(folder, "images/" + key + ".png", photo(2, 2));
  put(folder, "labels/" + key + ".png", label);
}

}  // namespace

TEST_CASE("label colors are listed with pixels, labels and first location") {
  const TempFolder folder;
  const std::vector<Color> colors{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  put_sample(folder, "a", color_label(2, 2, {0, 0, 0, 1}, colors));
  put_sample(folder, "b", color_label(2, 2, {0, 2, 2, 0}, colors));
  const ColorList list = listed(folder);
  REQUIRE(list.colors.size() == 3);
  CHECK(list.labels == 2);
  CHECK(list.colors[0].color == RgbColor{1, 2, 3});
  CHECK(list.colors[0].pixels == 5);
  CHECK(list.colors[0].labels == 2);
  CHECK(list.colors[1].color == RgbColor{7, 8, 9});
  CHECK_THAT(list.colors[1].path, ContainsSubstring("b.png"));
  CHECK(list.colors[1].place.x == 1);
  CHECK(list.colors[1].place.y == 0);
  CHECK(list.preset.empty());
  CHECK(listed(folder, 1).labels == 1);
}

TEST_CASE("of too many colors the smallest are listed, whatever the threads") {
  constexpr std::size_t kNew = 255;  // colors of each label, next to black
  const TempFolder folder;
  const std::size_t labels = 2 * ColorList::kMostColors / kNew + 20;
  for (std::size_t i = 0; i < labels; ++i) {
    std::vector<Color> colors{{0, 0, 0}};
    std::vector<std::uint16_t> ids{0};
    for (std::size_t c = 0; c < kNew; ++c) {
      // The smallest colors are in the last labels.
      const std::uint32_t value = static_cast<std::uint32_t>((labels - i) * kNew - c);
      colors.push_back({static_cast<std::uint8_t>(value >> 16),
                        static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value)});
      ids.push_back(static_cast<std::uint16_t>(c + 1));
    }
    put_sample(folder, std::to_string(10000 + i), color_label(16, 16, ids, colors));
  }
  const SampleList list = samples_of(options_for(folder));
  const SampleList* const lists[] = {&list};
  for (const int threads : {1, 8}) {
    Recorder recorder;
    const auto found = with_threads(
        threads, [&] { return list_colors(lists, PackOptions(), labels, recorder).value(); });
    REQUIRE(found.colors.size() == ColorList::kMostColors);
    CHECK(found.colors.front().color == RgbColor{0, 0, 0});
    CHECK(found.colors.front().labels == labels);
    CHECK(found.colors.front().pixels == labels);
    CHECK(found.colors.back().color == RgbColor{0, 255, 255});
    CHECK(found.colors.back().path ==
          folder / ("labels/" + std::to_string(10000 + labels - 257) + ".png"));
  }
}

TEST_CASE("the first label that changed is the list's error, whatever the threads") {
  const TempFolder folder;
  put_sample(folder, "00",
             color_label(1000, 1000, std::vector<std::uint16_t>(1000000), {{1, 2, 3}}));
  for (int i = 10; i < 70; ++i)
    put_sample(folder, std::to_string(i), color_label(1, 1, {0}, {{1, 2, 3}}));
  const SampleList list = samples_of(options_for(folder));
  for (const std::string key : {"11", "40", "69"}) folder.write("labels/" + key + ".png", "short");
  const SampleList* const lists[] = {&list};
  for (const int threads : {1, 2, 8}) {
    Recorder recorder;
    const auto found =
        with_threads(threads, [&] { return list_colors(lists, PackOptions(), 1000, recorder); });
    REQUIRE_FALSE(found.ok());
    CHECK(found.error().path == folder / "labels/11.png");
  }
}

TEST_CASE("the skeleton of a class table is one that --classes reads") {
  const TempFolder folder;
  put_sample(folder, "a", color_label(2, 2, {0, 0, 1, 0}, {{1, 2, 3}, {4, 5, 6}}));
  const std::string text = skeleton_of(listed(folder));
  CHECK(text == "name,r,g,b\ncolor_1,1,2,3\ncolor_2,4,5,6\n");
  CHECK(labels::parse_class_file(text, "new.csv").value().classes.size() == 2);
}

TEST_CASE("the preset that knows the colors is named") {
  const TempFolder folder;
  const auto& classes = labels::find_preset("camvid32")->table.classes;
  std::vector<Color> colors;
  for (std::size_t c = 0; c < 4; ++c)
    colors.push_back({(*classes[c].color)[0], (*classes[c].color)[1], (*classes[c].color)[2]});
  put_sample(folder, "a", color_label(2, 2, {0, 1, 2, 3}, colors));
  CHECK(listed(folder).preset_text() == "4 of 4 colors are those of --preset camvid32");
}

namespace {

ColorList listed_ids(const TempFolder& folder) {
  const SampleList list = samples_of(options_for(folder));
  const SampleList* const lists[] = {&list};
  Recorder recorder;
  return list_ids(lists, PackOptions(), recorder).value();
}

}  // namespace

TEST_CASE("ids are listed in their order, with a class table to fill in") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 2, 2, 1}));
  const ColorList list = listed_ids(folder);
  REQUIRE(list.colors.size() == 3);
  CHECK(list.colors[2].id == 2);
  CHECK(list.colors[2].pixels == 2);
  CHECK(list.colors[2].place.x == 1);
  CHECK_FALSE(needs_map(list));
  CHECK(skeleton_of(list) == "id,name\n0,class_0\n1,class_1\n2,class_2\n");
  CHECK(labels::parse_class_file(skeleton_of(list), "new.csv").value().classes.size() == 3);
}

TEST_CASE("ids with holes need a map, whose skeleton --map reads") {
  const TempFolder folder;
  put_sample(folder, "a", id_label(2, 2, {0, 64, 128, 0}));
  const ColorList list = listed_ids(folder);
  CHECK(needs_map(list));
  CHECK(skeleton_of(list) == "old,new\n0,class_0\n64,class_64\n128,class_128\n");
  CHECK(labels::classes_of_map(labels::parse_label_map(skeleton_of(list), "new.csv").value())
            .value()
            .classes.size() == 3);
}
