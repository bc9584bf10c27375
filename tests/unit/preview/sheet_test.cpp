#include "preview/sheet.hpp"

#include <algorithm>
#include <string>

#include "drawn.hpp"
#include "preview/sheet_file.hpp"
#include "support/catch.hpp"
#include "views.hpp"

using namespace hotpack;
using namespace hotpack::preview;
using namespace hotpack::test;

namespace {

const std::vector<ClassInfo> kClasses{{"road", RgbColor{255, 0, 0}, {}},
                                      {"car", RgbColor{0, 0, 255}, {}}};
const std::vector<RgbColor> kColors{{255, 0, 0}, {0, 0, 255}};

SheetLayout layout_of(std::size_t count, bool overlays, bool second_line = false) {
  SheetRequest request;
  request.images.assign(count, {20, 10});
  request.overlays = overlays;
  request.second_line = second_line;
  return lay_out(request).value();
}

// True if anything but paper is drawn there.
bool inked(const Sheet& sheet, const Region& area) {
  return count(sheet.image(), area, color_at(sheet.image(), 0, 0)) < area.width * area.height;
}

std::vector<std::vector<std::size_t>> all_pixels(std::size_t class_id) {
  return std::vector<std::vector<std::size_t>>(200, {class_id});
}

}  // namespace

TEST_CASE("a cell shows the key, the image, and the image with its label") {
  const SheetLayout layout = layout_of(2, true);
  Sheet sheet(layout, "title", kClasses, kColors);
  const OwnedImage image = plain_image(20, 10, 90);
  const OwnedLabel road = label_of(LabelStorage::bits, 20, 10, 2, all_pixels(0)),
                   car = label_of(LabelStorage::index, 20, 10, 2, all_pixels(1));
  REQUIRE(sheet.add({"a", "", image.view(), road.view(), ""}).ok());
  const auto counts = sheet.add({"b", "", image.view(), car.view(), ""});
  REQUIRE(counts.ok());
  CHECK(counts->pixels == std::vector<std::uint64_t>{0, 200});
  CHECK(center_of(sheet.image(), layout.box_at(0, 0)) == RgbColor{90, 90, 90});
  CHECK(center_of(sheet.image(), layout.box_at(0, 1))[0] > 150);
  CHECK(center_of(sheet.image(), layout.box_at(1, 1))[2] > 150);
  CHECK(inked(sheet, {layout.cell_at(0).x, layout.text_top(0), 20, 18}));
}

TEST_CASE("a label of the whole image is a swatch and a name below the image") {
  const SheetLayout layout = layout_of(1, false, true);
  Sheet sheet(layout, "title", kClasses, kColors);
  const OwnedImage image = plain_image(20, 10, 90);
  const OwnedLabel label = label_of(LabelStorage::bits, 1, 1, 2, {{1}}, false, LabelScope::image);
  REQUIRE(sheet.add({"a", "", image.view(), label.view(), ""}).ok());
  const int line = line_height(layout.key_text);
  CHECK(center_of(sheet.image(), {layout.cell_at(0).x, layout.text_top(0) + line,
                                  swatch_side(layout.key_text), line}) == RgbColor{0, 0, 255});
}

TEST_CASE("an image smaller than the others' box stands in its middle") {
  SheetRequest request;
  request.images = {{400, 100}, {100, 300}};
  request.cell_width = 200;
  const SheetLayout layout = lay_out(request).value();
  Sheet sheet(layout, "title", {}, {});
  const OwnedImage wide = plain_image(400, 100, 10);
  REQUIRE(sheet.add({"wide", "", wide.view(), {}, ""}).ok());
  const Region box = layout.box_at(0, 0);
  CHECK(center_of(sheet.image(), box) == RgbColor{10, 10, 10});
  CHECK(color_at(sheet.image(), box.x + 3, box.y + 3) != RgbColor{10, 10, 10});
  CHECK(color_at(sheet.image(), box.x + 3, box.y + 3) ==
        color_at(sheet.image(), box.x + 3, box.y + box.height - 3));
}

TEST_CASE("a sample that cannot be shown is a cell with the reason") {
  const SheetLayout layout = layout_of(1, true);
  Sheet sheet(layout, "title", kClasses, kColors);
  const auto counts = sheet.add({"a", "", {}, {}, "a.png: the image ends too early"});
  REQUIRE(counts.ok());
  CHECK(counts->pixels.empty());
  CHECK(inked(sheet, layout.box_at(0, 0)));
}

TEST_CASE("the same samples give the same sheet, to the byte") {
  const auto draw = [] {
    Sheet sheet(layout_of(1, true), "title", kClasses, kColors);
    const OwnedImage image = plain_image(20, 10, 90);
    const OwnedLabel label = label_of(LabelStorage::bits, 20, 10, 2, all_pixels(1));
    (void)sheet.add({"key", "remark", image.view(), label.view(), ""});
    sheet.add_legend(make_legend(kClasses, kColors, shares_of_counts({1, 3}, 1, "pixels")));
    return sheet_file(sheet.image()).value();
  };
  CHECK(draw() == draw());
}
