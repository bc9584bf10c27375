#include "preview/class_colors.hpp"

#include <algorithm>

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::preview;

namespace {

double least_distance(const std::vector<RgbColor>& colors) {
  double least = 1;
  for (std::size_t i = 0; i < colors.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) least = std::min(least, color_distance(colors[i], colors[j]));
  }
  return least;
}

}  // namespace

TEST_CASE("distance follows perception: two kinds of black hardly differ") {
  CHECK(color_distance({10, 20, 30}, {10, 20, 30}) == 0);
  CHECK(color_distance({0, 0, 0}, {1, 1, 1}) < 0.01);
  CHECK(color_distance({0, 0, 0}, {255, 255, 255}) > 0.5);
  CHECK(color_distance({255, 0, 0}, {0, 255, 0}) > 5 * color_distance({255, 0, 0}, {225, 0, 0}));
}

TEST_CASE("up to 300 classes get distinct colors, the same for every table") {
  const ClassColors few = class_colors(std::vector<ClassInfo>(12)), many = class_colors(std::vector<ClassInfo>(300));
  CHECK(least_distance(few.colors) > 0.13);
  CHECK(least_distance({many.colors.begin(), many.colors.begin() + 50}) > 0.06);
  CHECK(least_distance(many.colors) > 0.025);
  CHECK(std::equal(few.colors.begin(), few.colors.end(), many.colors.begin()));
  for (const RgbColor color : many.colors) {
    CHECK(color_distance(color, {0, 0, 0}) > 0.1);
    CHECK(color_distance(color, {255, 255, 255}) > 0.05);
  }
}

TEST_CASE("generated colors are the same on every system") {
  const ClassColors colors = class_colors(std::vector<ClassInfo>(4));
  CHECK(colors.colors == std::vector<RgbColor>{{85, 0, 198}, {113, 227, 0}, {227, 0, 142}, {255, 142, 255}});
}

TEST_CASE("a class keeps the color of its table, black and white too") {
  const std::vector<ClassInfo> classes{
      {"void", RgbColor{0, 0, 0}, {}}, {"sky", RgbColor{70, 130, 180}, {}}, {"snow", RgbColor{255, 255, 255}, {}}};
  const ClassColors colors = class_colors(classes);
  CHECK(colors.colors == std::vector<RgbColor>{{0, 0, 0}, {70, 130, 180}, {255, 255, 255}});
  CHECK(colors.replaced == 0);
}

TEST_CASE("a color like an earlier one is replaced, new ones avoid the table's") {
  const std::vector<ClassInfo> classes{
      {"a", RgbColor{0, 0, 0}, {}}, {"b", RgbColor{1, 1, 1}, {}}, {"c", RgbColor{85, 0, 198}, {}}, {"d", {}, {}}};
  const ClassColors colors = class_colors(classes);
  CHECK(colors.replaced == 1);
  CHECK(colors.colors[2] == RgbColor{85, 0, 198});
  CHECK(least_distance(colors.colors) > 0.1);
}

TEST_CASE("colors of very many classes repeat") {
  const ClassColors colors = class_colors(std::vector<ClassInfo>(3000));
  CHECK(colors.colors.size() == 3000);
  CHECK(std::count(colors.colors.begin(), colors.colors.end(), colors.colors.front()) > 1);
}
