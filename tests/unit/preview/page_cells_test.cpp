#include "preview/page_cells.hpp"

#include "codecs/decoder.hpp"
#include "support/catch.hpp"
#include "views.hpp"

using namespace hotpack;
using namespace hotpack::preview;

using namespace hotpack::test;

namespace {

// RGBA of a PNG, by drawing it over black and over white.
struct Shown {
  Extent size;
  std::vector<std::uint8_t> over_black, over_white;
};

std::vector<std::uint8_t> decoded(const std::vector<std::byte>& png, RgbColor under, Extent& size) {
  codecs::Decoder decoder;
  codecs::ImageOptions options;
  options.blend = under;
  const auto image = decoder.decode_image(png, options);
  REQUIRE(image.ok());
  size = {image->width, image->height};
  std::vector<std::uint8_t> samples;
  for (int y = 0; y < size.height; ++y)
    samples.insert(samples.end(), image->row(y), image->row(y) + 3 * size.width);
  return samples;
}

Shown shown(const std::vector<std::byte>& png) {
  Shown result;
  result.over_black = decoded(png, {0, 0, 0}, result.size);
  result.over_white = decoded(png, {255, 255, 255}, result.size);
  return result;
}

}  // namespace

TEST_CASE("a cell has the image and the label's colors, transparent without class") {
  const std::vector<RgbColor> colors{{250, 0, 0}, {0, 0, 250}};
  const OwnedImage image = plain_image(2, 1, 77);
  const OwnedLabel label = label_of(LabelStorage::bits, 2, 1, 2, {{1}, {}}, true);
  PageCells cells(100, colors);
  SheetSample sample;
  sample.key = "a";
  sample.image = image.view();
  sample.label = label.view();
  REQUIRE(cells.add(sample).ok());
  const PageCell& cell = cells.all().front();
  CHECK(cell.shown == Extent{2, 1});
  CHECK(cell.counts.pixels == std::vector<std::uint64_t>{0, 1});
  CHECK(shown(cell.image).over_black == std::vector<std::uint8_t>(6, 77));
  const Shown drawn = shown(cell.label);
  CHECK(drawn.over_black == std::vector<std::uint8_t>{0, 0, 250, 0, 0, 0});
  CHECK(drawn.over_white == std::vector<std::uint8_t>{0, 0, 250, 255, 255, 255});
}

TEST_CASE("larger images shrink to the page, and a problem has no image") {
  const std::vector<RgbColor> colors;
  const OwnedImage image = plain_image(60, 15, 5);
  PageCells cells(20, colors);
  SheetSample sample;
  sample.image = image.view();
  REQUIRE(cells.add(sample).ok());
  CHECK(cells.all()[0].size == Extent{60, 15});
  CHECK(shown(cells.all()[0].image).size == Extent{20, 5});
  CHECK(cells.all()[0].label.empty());
  SheetSample broken;
  broken.problem = "damaged";
  REQUIRE(cells.add(broken).ok());
  CHECK(cells.all()[1].image.empty());
  CHECK(cells.all()[1].problem == "damaged");
}
