#include "codecs/sample_rows.hpp"

#include <array>
#include <vector>

#include "support/catch.hpp"

namespace hotpack::codecs {
namespace {

TEST_CASE("the gray of a color is rounded luma") {
  CHECK(luma(0, 0, 0) == 0);
  CHECK(luma(255, 255, 255) == 255);
  CHECK(luma(255, 0, 0) == 76);
  CHECK(luma(0, 255, 0) == 150);
  CHECK(luma(0, 0, 255) == 29);
  for (unsigned gray = 0; gray < 256; ++gray) CHECK(luma(gray, gray, gray) == gray);
}

TEST_CASE("alpha is dropped and its changes are noticed") {
  const std::array<std::uint8_t, 8> even = {1, 2, 3, 7, 4, 5, 6, 7};
  std::array<std::uint8_t, 6> rgb{};
  CHECK_FALSE(drop_alpha(even.data(), rgb.data(), 2, 7));
  CHECK(rgb == std::array<std::uint8_t, 6>{1, 2, 3, 4, 5, 6});
  CHECK(drop_alpha(even.data(), rgb.data(), 2, 8));

  const std::array<std::uint16_t, 4> uneven = {500, 65535, 600, 65534};
  std::array<std::uint16_t, 2> gray{};
  CHECK(drop_gray_alpha(uneven.data(), gray.data(), 2, std::uint16_t{65535}));
  CHECK(gray == std::array<std::uint16_t, 2>{500, 600});
}

TEST_CASE("inverted inks scale light by 1/256 and not by 1/255") {
  CHECK(ink_to_light(255, 255) == 255);
  CHECK(ink_to_light(0, 255) == 1);
  CHECK(ink_to_light(0, 0) == 0);
  CHECK(ink_to_light(255, 0) == 0);
  CHECK(ink_to_light(128, 200) == 101);  // 200 - (25400 >> 8)
  const std::array<std::uint8_t, 4> inks = {255, 128, 0, 200};
  std::array<std::uint8_t, 3> rgb{};
  std::uint8_t gray = 0;
  inks_to_rgb(inks.data(), rgb.data(), 1);
  inks_to_gray(inks.data(), &gray, 1);
  CHECK(rgb == std::array<std::uint8_t, 3>{200, 101, 1});
  CHECK(gray == luma(200, 101, 1));
}

TEST_CASE("blending is exact at both ends and rounds in between") {
  for (unsigned sample = 0; sample < 256; ++sample) {
    CHECK(blend(sample, 99, 255) == sample);
    CHECK(blend(99, sample, 0) == sample);
    for (unsigned alpha = 0; alpha < 256; ++alpha) CHECK(blend(sample, sample, alpha) == sample);
  }
  CHECK(blend(255, 0, 128) == 128);
  CHECK(blend(1, 0, 127) == 0);  // 127 + 127 is not 255 yet
  CHECK(blend(1, 0, 128) == 1);
  const std::array<std::uint8_t, 8> rgba = {10, 20, 30, 255, 10, 20, 30, 0};
  std::array<std::uint8_t, 6> rgb{};
  std::array<std::uint8_t, 2> gray{};
  blend_to_rgb(rgba.data(), {200, 100, 0}, rgb.data(), 2);
  blend_to_gray(rgba.data(), {200, 100, 0}, gray.data(), 2);
  CHECK(rgb == std::array<std::uint8_t, 6>{10, 20, 30, 200, 100, 0});
  CHECK(gray == std::array<std::uint8_t, 2>{luma(10, 20, 30), luma(200, 100, 0)});
}

TEST_CASE("rows without pixels are left unchanged") {
  std::uint8_t untouched = 9;
  replicate_gray(&untouched, &untouched, 0);
  rgb_to_gray(&untouched, &untouched, 0);
  CHECK(untouched == 9);
  CHECK(largest(&untouched, 0) == 0);
}

}  // namespace
}  // namespace hotpack::codecs
