#include "preview/canvas.hpp"

#include <array>
#include <vector>

#include "preview/font.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::preview;

namespace {

constexpr RgbColor kWhite{255, 255, 255};
constexpr RgbColor kRed{200, 0, 0};

RgbColor color_at(const Canvas& canvas, int x, int y) {
  const std::uint8_t* pixel = canvas.image().row(y) + 3 * x;
  return {pixel[0], pixel[1], pixel[2]};
}

int count(const Canvas& canvas, RgbColor color) {
  int found = 0;
  for (int y = 0; y < canvas.size().height; ++y) {
    for (int x = 0; x < canvas.size().width; ++x) found += color_at(canvas, x, y) == color;
  }
  return found;
}

}  // namespace

TEST_CASE("whatever reaches beyond the canvas is clipped") {
  Canvas canvas({10, 8}, kWhite);
  canvas.fill({-5, -5, 8, 8}, kRed);
  CHECK(count(canvas, kRed) == 9);
  canvas.fill({20, 20, 5, 5}, kRed);
  CHECK(count(canvas, kRed) == 9);
  canvas.write(U"text beyond", 6, 4, {0, 0, 1}, 3);
  const std::vector<std::uint8_t> pixels(6 * 6 * 3, 7);
  canvas.place({pixels.data(), 6, 6, 3, 18}, 8, 6);
  canvas.place({pixels.data(), 6, 6, 3, 18}, -20, 0);
  CHECK(color_at(canvas, 9, 7) == RgbColor{7, 7, 7});
  CHECK(count(canvas, {7, 7, 7}) == 4);
}

TEST_CASE("a frame lies inside its area") {
  Canvas canvas({10, 10}, kWhite);
  canvas.frame({2, 2, 6, 5}, kRed);
  CHECK(count(canvas, kRed) == 2 * 6 + 2 * 3);
  CHECK(color_at(canvas, 2, 2) == kRed);
  CHECK(color_at(canvas, 7, 6) == kRed);
}

TEST_CASE("text stays in its line, and scale 2 draws each dot as four") {
  Canvas once({60, kLineHeight + 4}, kWhite), twice({120, 2 * kLineHeight + 4}, kWhite);
  once.write(U"Ägyp", 0, 2, kRed, 1);
  twice.write(U"Ägyp", 0, 2, kRed, 2);
  CHECK(count(once, kRed) > 40);
  CHECK(count(twice, kRed) == 4 * count(once, kRed));
  for (int x = 0; x < 60; ++x) {
    CHECK(color_at(once, x, 1) == kWhite);
    CHECK(color_at(once, x, kLineHeight + 2) == kWhite);
  }
}

TEST_CASE("a canvas that grows keeps what was drawn") {
  Canvas canvas({5, 2}, kWhite);
  canvas.fill({0, 0, 5, 2}, kRed);
  canvas.grow(3);
  CHECK(canvas.size() == Extent{5, 5});
  CHECK(count(canvas, kRed) == 10);
  CHECK(count(canvas, kWhite) == 15);
}
