#include "preview/sheet_layout.hpp"

#include <algorithm>

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::preview;

namespace {

SheetRequest request_of(std::size_t count, Extent image) {
  SheetRequest request;
  request.images.assign(count, image);
  return request;
}

bool overlap(const Region& a, const Region& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

// Cells lie inside the sheet, apart from each other, and hold their images and text.
void check_cells(const SheetLayout& layout, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const Region cell = layout.cell_at(i);
    CHECK(cell.x >= 0);
    CHECK(cell.y >= layout.title_height());
    CHECK(cell.x + cell.width <= layout.sheet.width);
    CHECK(cell.y + cell.height <= layout.sheet.height);
    CHECK(layout.text_top(i) == cell.y + layout.box.height);
    for (int place = 0; place <= (layout.overlays ? 1 : 0); ++place) {
      const Region box = layout.box_at(i, place);
      CHECK(box.x + box.width <= cell.x + cell.width);
    }
    for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(overlap(cell, layout.cell_at(j)));
  }
}

}  // namespace

TEST_CASE("cells of every number and shape of images lie apart inside the sheet") {
  const auto count =
      GENERATE(std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{12}, std::size_t{100});
  const auto image = GENERATE(Extent{8, 8}, Extent{480, 360}, Extent{2048, 1024},
                              Extent{1024, 2048}, Extent{3000, 10}, Extent{0, 0});
  SheetRequest request = request_of(count, image);
  request.overlays = count % 2 == 0;
  request.second_line = count % 3 == 0;
  const auto layout = lay_out(request);
  REQUIRE(layout.ok());
  check_cells(*layout, count);
  CHECK(layout->sheet.width <= 1700);
}

TEST_CASE("twelve samples leave no cell empty, with and without labels") {
  for (const bool overlays : {false, true}) {
    SheetRequest request = request_of(12, {640, 480});
    request.overlays = overlays;
    const auto layout = lay_out(request);
    REQUIRE(layout.ok());
    CHECK(12 % layout->columns == 0);
    CHECK(layout->columns >= 2);
  }
}

TEST_CASE("option --grid and --width are obeyed to the pixel") {
  SheetRequest request = request_of(10, {640, 480});
  request.grid = Extent{5, 2};
  request.cell_width = 200;
  const auto layout = lay_out(request);
  REQUIRE(layout.ok());
  CHECK(layout->columns == 5);
  CHECK(layout->box == Extent{200, 150});
  CHECK(layout->cell_at(9).y == layout->cell_at(5).y);
}

TEST_CASE("images of different sizes share the smallest box that holds them all") {
  SheetRequest request;
  request.images = {{400, 100}, {100, 300}};
  request.cell_width = 200;
  const auto layout = lay_out(request);
  REQUIRE(layout.ok());
  CHECK(layout->box == Extent{200, 300});
}

TEST_CASE("text grows with the sheet, and is smaller in narrow cells") {
  SheetRequest request = request_of(24, {1920, 1080});
  request.grid = Extent{4, 6};
  request.cell_width = 900;
  const auto wide = lay_out(request);
  request.cell_width = 200;
  const auto usual = lay_out(request);
  request.grid = Extent{24, 1};
  request.cell_width = 60;
  const auto narrow = lay_out(request);
  REQUIRE((wide.ok() && usual.ok() && narrow.ok()));
  CHECK(wide->text >= wide->sheet.width / 60);
  CHECK(wide->key_text == wide->text);
  CHECK(usual->text < wide->text);
  CHECK(narrow->key_text < narrow->text);
  CHECK(narrow->key_text >= 13);
  check_cells(*wide, 24);
  check_cells(*narrow, 24);
}

TEST_CASE("a sheet that would be too large is refused with what makes it smaller") {
  SheetRequest request = request_of(400, {4000, 4000});
  request.grid = Extent{20, 20};
  request.cell_width = 2000;
  const auto layout = lay_out(request);
  REQUIRE_FALSE(layout.ok());
  CHECK(layout.error().code == ErrorCode::usage);
  CHECK_THAT(layout.error().message, ContainsSubstring("--grid") && ContainsSubstring("--width"));
}
