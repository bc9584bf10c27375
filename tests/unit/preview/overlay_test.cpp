#include "preview/overlay.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

#include "base/fit.hpp"
#include "support/catch.hpp"
#include "views.hpp"

using namespace hotpack;
using namespace hotpack::preview;
using namespace hotpack::test;

namespace {

const std::vector<RgbColor> kColors{{255, 0, 0}, {0, 0, 255}, {0, 255, 0}};

// A gray image of `size`, painted over.
std::vector<RgbColor> painted(const OwnedLabel& label, Extent size,
                              RgbColor image = {100, 100, 100}) {
  const auto pixels = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  std::vector<std::uint8_t> samples;
  for (std::size_t i = 0; i < pixels; ++i)
    samples.insert(samples.end(), image.begin(), image.end());
  LabelClasses classes;
  REQUIRE(classes.read(label.view()).ok());
  geometry::Resampler resampler;
  const MutablePixels thumbnail{samples.data(), size.width, size.height, 3,
                                3 * static_cast<std::size_t>(size.width)};
  REQUIRE(paint_classes(label.shape, classes, kColors, 4, resampler, thumbnail).ok());
  std::vector<RgbColor> colors(pixels);
  for (std::size_t i = 0; i < pixels; ++i)
    colors[i] = {samples[3 * i], samples[3 * i + 1], samples[3 * i + 2]};
  return colors;
}

std::size_t different(const std::vector<RgbColor>& colors) {
  return std::set<RgbColor>(colors.begin(), colors.end()).size();
}

}  // namespace

TEST_CASE("a class tints the image with its color, the image shows through") {
  const OwnedLabel label = label_of(LabelStorage::bits, 2, 1, 3, {{0}, {1}});
  const auto dark = painted(label, {2, 1}, {20, 20, 20}),
             light = painted(label, {2, 1}, {220, 220, 220});
  CHECK(dark[0][0] > dark[0][2] + 150);
  CHECK(dark[1][2] > dark[1][0] + 150);
  CHECK(light[0][1] > dark[0][1] + 50);
}

TEST_CASE("the image under an overlay is gray, so its colors are not classes") {
  const OwnedLabel label = label_of(LabelStorage::bits, 1, 1, 3, {{2}});
  CHECK(painted(label, {1, 1}, {255, 0, 0}) == painted(label, {1, 1}, {76, 76, 76}));
}

TEST_CASE("ignored pixels are hatched in both colors of the hatching") {
  const OwnedLabel label = label_of(LabelStorage::index, 1, 1, 3, {{}});
  const auto colors = painted(label, {16, 16});
  CHECK(different(colors) == 2);
  const auto [darkest, lightest] = std::minmax_element(colors.begin(), colors.end());
  CHECK((*lightest)[0] - (*darkest)[0] > 100);
  CHECK(colors[0] == colors[15 * 0 + 3]);
  CHECK(colors[0] != colors[4]);
}

TEST_CASE("several classes per pixel are stripes, and no class stays gray") {
  const OwnedLabel label = label_of(LabelStorage::bits, 2, 1, 3, {{0, 1}, {}}, true);
  const auto colors = painted(label, {32, 16});
  CHECK(different(colors) == 3);
  CHECK(colors[0][0] > 150);
  CHECK(colors[4][2] > 150);
  CHECK(colors[16] == RgbColor{100, 100, 100});
}

TEST_CASE("a pixel of a small overlay is the mean of the tints that it covers") {
  const OwnedLabel label = label_of(LabelStorage::one_hot, 4, 1, 3, {{0}, {0}, {0}, {1}});
  const auto whole = painted(label, {4, 1}), shrunk = painted(label, {1, 1});
  for (std::size_t c = 0; c < 3; ++c) {
    const int mean = (3 * whole[0][c] + whole[3][c] + 2) / 4;
    CHECK(std::abs(shrunk[0][c] - mean) <= 1);
  }
}

TEST_CASE("the hatching of ignored pixels keeps its stripes where labels shrink") {
  const OwnedLabel label =
      label_of(LabelStorage::index, 64, 64, 3, std::vector<std::vector<std::size_t>>(64 * 64));
  const auto colors = painted(label, {16, 16});
  CHECK(different(colors) == 2);
  CHECK(colors[0] == colors[3]);
  CHECK(colors[0] != colors[4]);
}
