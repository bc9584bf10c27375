#include "preview/canvas.hpp"

#include <array>
#include <vector>

#include "drawn.hpp"
#include "preview/font.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::preview;
using namespace hotpack::test;

namespace {

constexpr RgbColor kWhite{255, 255, 255};
constexpr RgbColor kRed{200, 0, 0};

}  // namespace

TEST_CASE("whatever reaches beyond the canvas is clipped") {
  Canvas canvas({10, 8}, kWhite);
  canvas.fill({-5, -5, 8, 8}, kRed);
  CHECK(count(canvas.image(), kRed) == 9);
  canvas.fill({20, 20, 5, 5}, kRed);
  CHECK(count(canvas.image(), kRed) == 9);
  canvas.write(U"text beyond", 6, 4, {0, 0, 1}, 3);
  const std::vector<std::uint8_t> pixels(6 * 6 * 3, 7);
  canvas.place({pixels.data(), 6, 6, 3, 18}, 8, 6);
  canvas.place({pixels.data(), 6, 6, 3, 18}, -20, 0);
  CHECK(color_at(canvas.image(), 9, 7) == RgbColor{7, 7, 7});
  CHECK(count(canvas.image(), {7, 7, 7}) == 4);
}

TEST_CASE("a frame lies inside its area") {
  Canvas canvas({10, 10}, kWhite);
  canvas.frame({2, 2, 6, 5}, kRed);
  CHECK(count(canvas.image(), kRed) == 2 * 6 + 2 * 3);
  CHECK(color_at(canvas.image(), 2, 2) == kRed);
  CHECK(color_at(canvas.image(), 7, 6) == kRed);
}

TEST_CASE("text stays in its line, accents and number boxes included") {
  const int size = GENERATE(13, 17, 28, 96);
  const int line = line_height(size);
  Canvas canvas({20 * size, line + 4}, kWhite);
  canvas.write(U"\u1EA8gyp_|\u6F22\U0010FFFF", 2, 2, kRed, size);
  CHECK(count(canvas.image(), {0, 0, 20 * size, 2}, kWhite) == 2 * 20 * size);
  CHECK(count(canvas.image(), {0, line + 2, 20 * size, 2}, kWhite) == 2 * 20 * size);
  CHECK(count(canvas.image(), kRed) > 4 * size);
}

TEST_CASE("the edges of letters are mixed with what is below them") {
  Canvas canvas({60, 40}, kWhite);
  canvas.write(U"SO", 0, 0, {0, 0, 0}, 28);
  const int black = count(canvas.image(), {0, 0, 0}), white = count(canvas.image(), kWhite);
  CHECK(black > 50);
  CHECK(60 * 40 - black - white > 50);
}

TEST_CASE("a canvas that grows keeps what was drawn") {
  Canvas canvas({5, 2}, kWhite);
  canvas.fill({0, 0, 5, 2}, kRed);
  canvas.grow(3);
  CHECK(canvas.size() == Extent{5, 5});
  CHECK(count(canvas.image(), kRed) == 10);
  CHECK(count(canvas.image(), kWhite) == 15);
}
