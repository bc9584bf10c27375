#include "pack/brightness_grid.hpp"

#include <vector>

#include "support/catch.hpp"
#include "support/test_images.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

namespace {

struct Gray {
  int width = 0, height = 0;
  std::vector<std::uint8_t> pixels;
  [[nodiscard]] ConstPixels view() const {
    return {pixels.data(), width, height, 1, static_cast<std::size_t>(width)};
  }
  [[nodiscard]] std::uint8_t at(int x, int y) const {
    return pixels[static_cast<std::size_t>(y * width + x)];
  }
};

// Bright and dark fields without symmetry, of a size that 8 does not divide.
Gray uneven(int width, int height) {
  Gray gray{width, height, {}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      gray.pixels.push_back(
          static_cast<std::uint8_t>((x * 97 / width * 13 + y * 53 / height * 29) % 251));
  return gray;
}

template <class Source>
Gray made(int width, int height, Source source) {
  Gray gray{width, height, {}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) gray.pixels.push_back(source(x, y));
  return gray;
}

}  // namespace

TEST_CASE("a flipped or rotated image is recognized, whatever its size") {
  const auto [width, height] =
      GENERATE(std::pair(64, 48), std::pair(61, 43), std::pair(9, 17), std::pair(5, 3));
  const Gray gray = uneven(width, height);
  const BrightnessGrid original = brightness_grid(gray.view());
  const Gray flipped =
      made(width, height, [&](int x, int y) { return gray.at(gray.width - 1 - x, y); });
  CHECK(relation_of(brightness_grid(flipped.view()), original) == "flipped left to right");
  const Gray over =
      made(width, height, [&](int x, int y) { return gray.at(x, gray.height - 1 - y); });
  CHECK(relation_of(brightness_grid(over.view()), original) == "flipped upside down");
  const Gray turned =
      made(height, width, [&](int x, int y) { return gray.at(y, gray.height - 1 - x); });
  CHECK(relation_of(brightness_grid(turned.view()), original) ==
        "rotated by 90 degrees to the right");
  const Gray left =
      made(height, width, [&](int x, int y) { return gray.at(gray.width - 1 - y, x); });
  CHECK(relation_of(brightness_grid(left.view()), original) == "rotated by 90 degrees to the left");
  const Gray around = made(width, height, [&](int x, int y) {
    return gray.at(gray.width - 1 - x, gray.height - 1 - y);
  });
  CHECK(relation_of(brightness_grid(around.view()), original) == "rotated by 180 degrees");
  CHECK(total_of(brightness_grid(turned.view())) == total_of(original));
}

TEST_CASE("changes by a codec are no difference, but another image is") {
  const Gray gray = uneven(64, 48);
  const Gray saved = made(64, 48, [&](int x, int y) {
    return static_cast<std::uint8_t>(std::min(255, gray.at(x, y) + (x + y) % 2));
  });
  CHECK(relation_of(brightness_grid(saved.view()), brightness_grid(gray.view())) ==
        "hardly differs");
  const Gray brighter = made(64, 48, [&](int x, int y) {
    return static_cast<std::uint8_t>(std::min(255, gray.at(x, y) + 9));
  });
  CHECK_FALSE(relation_of(brightness_grid(brighter.view()), brightness_grid(gray.view())));
}

TEST_CASE("an image of little contrast is not distinct") {
  CHECK_FALSE(
      is_distinct(brightness_grid(made(32, 32, [](int, int) { return std::uint8_t{90}; }).view())));
  CHECK_FALSE(is_distinct(brightness_grid(
      made(32, 32, [](int x, int) { return static_cast<std::uint8_t>(90 + x / 4); }).view())));
  CHECK_FALSE(is_distinct(brightness_grid(
      made(32, 32, [](int x, int y) { return static_cast<std::uint8_t>(4 * x + 3 * y); }).view())));
  CHECK(is_distinct(brightness_grid(made(32, 32, [](int x, int y) {
                                      return static_cast<std::uint8_t>(x < 16 && y < 16 ? 200 : 90);
                                    }).view())));
}
