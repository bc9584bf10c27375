#include "preview/thumbnail.hpp"

#include <vector>

#include "support/catch.hpp"
#include "views.hpp"

using namespace hotpack;
using namespace hotpack::preview;
using namespace hotpack::test;

namespace {

std::vector<std::uint8_t> shrunk(const ImageView& image, Extent size) {
  std::vector<std::uint8_t> pixels(3 * static_cast<std::size_t>(size.width) *
                                   static_cast<std::size_t>(size.height));
  geometry::Resampler resampler;
  REQUIRE(shrink_image(
              image, resampler,
              {pixels.data(), size.width, size.height, 3, 3 * static_cast<std::size_t>(size.width)})
              .ok());
  return pixels;
}

}  // namespace

TEST_CASE("images keep their aspect in a box, small ones grow by whole factors") {
  CHECK(thumbnail_extent({2048, 1024}, {320, 480}) == Extent{320, 160});
  CHECK(thumbnail_extent({1024, 2048}, {320, 480}) == Extent{240, 480});
  CHECK(thumbnail_extent({8, 8}, {100, 60}) == Extent{56, 56});
  CHECK(thumbnail_extent({300, 200}, {320, 480}) == Extent{300, 200});
  CHECK(thumbnail_extent({100000, 1}, {320, 480}) == Extent{320, 1});
  CHECK(thumbnail_extent({1, 100000}, {320, 480}) == Extent{1, 480});
}

TEST_CASE("a pixel of a thumbnail is the mean of what it covers") {
  OwnedImage image{{}, {2, 3, 1, AxisOrder::channels_last}};
  image.bytes = {0, 30, 60, 90, 120, 150};
  CHECK(shrunk(image.view(), {1, 1}) == std::vector<std::uint8_t>{75, 75, 75});
  // 3 columns to 2: the middle one counts half on either side.
  CHECK(shrunk(image.view(), {2, 1}) == std::vector<std::uint8_t>{55, 55, 55, 95, 95, 95});
  CHECK(shrunk(image.view(), {6, 4})[3 * 6] == 0);
  CHECK(shrunk(image.view(), {6, 4})[3 * 6 + 15] == 60);
}

TEST_CASE("both layouts of an image give the same thumbnail") {
  OwnedImage together{{}, {4, 6, 3, AxisOrder::channels_last}},
      planes{{}, {4, 6, 3, AxisOrder::channels_first}};
  together.bytes.resize(72);
  planes.bytes.resize(72);
  for (std::size_t i = 0; i < 24; ++i) {
    for (std::size_t c = 0; c < 3; ++c)
      together.bytes[3 * i + c] = planes.bytes[24 * c + i] =
          static_cast<std::uint8_t>(7 * i + 40 * c);
  }
  CHECK(shrunk(together.view(), {4, 3}) == shrunk(planes.view(), {4, 3}));
}
