#include "preview/class_colors.hpp"

#include <set>

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::preview;

TEST_CASE("classes without colors get those of the PASCAL VOC map") {
  // As the development kit lists them for the first classes, 20 (tvmonitor) and 255 (void).
  const std::vector<RgbColor> first{{0, 0, 0},   {128, 0, 0},   {0, 128, 0},   {128, 128, 0},
                                    {0, 0, 128}, {128, 0, 128}, {0, 128, 128}, {128, 128, 128},
                                    {64, 0, 0},  {192, 0, 0}};
  const std::vector<RgbColor> colors = class_colors(std::vector<ClassInfo>(256)).colors;
  CHECK(std::vector<RgbColor>(colors.begin(), colors.begin() + 10) == first);
  CHECK(colors[20] == RgbColor{0, 64, 128});
  CHECK(colors[255] == RgbColor{224, 224, 192});
}

TEST_CASE("up to 4096 classes without colors get colors of their own") {
  const std::vector<RgbColor> colors = class_colors(std::vector<ClassInfo>(4096)).colors;
  CHECK(std::set<RgbColor>(colors.begin(), colors.end()).size() == 4096);
}

TEST_CASE("a class keeps the color of its table, black and white too") {
  const std::vector<ClassInfo> classes{{"void", RgbColor{0, 0, 0}, {}},
                                       {"sky", RgbColor{70, 130, 180}, {}},
                                       {"snow", RgbColor{255, 255, 255}, {}}};
  const ClassColors colors = class_colors(classes);
  CHECK(colors.colors == std::vector<RgbColor>{{0, 0, 0}, {70, 130, 180}, {255, 255, 255}});
  CHECK(colors.replaced == 0);
}

TEST_CASE("a color like an earlier one is replaced, new ones avoid the table's") {
  const std::vector<ClassInfo> classes{{"a", RgbColor{0, 0, 0}, {}},
                                       {"b", RgbColor{1, 1, 1}, {}},
                                       {"c", RgbColor{3, 125, 8}, {}},
                                       {"d", {}, {}},
                                       {"e", {}, {}}};
  const ClassColors colors = class_colors(classes);
  CHECK(colors.replaced == 1);
  CHECK(colors.colors ==
        std::vector<RgbColor>{{0, 0, 0}, {128, 0, 0}, {3, 125, 8}, {128, 128, 0}, {0, 0, 128}});
  std::vector<ClassInfo> reversed(4);
  reversed[3].color =
      RgbColor{128, 0, 0};  // the map's color of class 1, which gets the map's next one
  CHECK(class_colors(reversed).colors ==
        std::vector<RgbColor>{{0, 0, 0}, {0, 0, 128}, {0, 128, 0}, {128, 0, 0}});
}

TEST_CASE("a table whose colors leave none of the map free still gets colors") {
  std::vector<ClassInfo> classes(kMostCompared);
  for (std::size_t c = 1; c < classes.size(); ++c) {
    RgbColor color = voc_color(4 * c);
    for (std::uint8_t& sample : color) sample = static_cast<std::uint8_t>(sample ^ 8U);
    classes[c].color = color;
  }
  CHECK(class_colors(classes).colors.size() == kMostCompared);
  CHECK(class_colors(std::vector<ClassInfo>(65535)).colors.size() == 65535);
}
