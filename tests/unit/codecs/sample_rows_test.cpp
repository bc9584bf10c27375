#include "codecs/sample_rows.hpp"

#include <array>
#include <vector>

#include "support/catch.hpp"

namespace hotpack::codecs {
namespace {

TEST_CASE("the gray of a colour is rounded luma") {
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

TEST_CASE("rows of no pixels are left alone") {
  std::uint8_t untouched = 9;
  replicate_gray(&untouched, &untouched, 0);
  rgb_to_gray(&untouched, &untouched, 0);
  CHECK(untouched == 9);
  CHECK(largest(&untouched, 0) == 0);
}

}  // namespace
}  // namespace hotpack::codecs
