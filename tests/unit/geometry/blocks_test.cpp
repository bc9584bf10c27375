#include "geometry/blocks.hpp"

#include <algorithm>
#include <random>

#include "support/catch.hpp"
#include "support/reference_resize.hpp"
#include "support/resized_parts.hpp"
#include "support/vector_targets.hpp"

using namespace hotpack;
using namespace hotpack::geometry;
using namespace hotpack::test;
using reference::Image;

namespace {

void require_blocks(BlockAverager& averager, const Image& source, int width, int height,
                    const Part& part) {
  require_part(source, reference::area_of_blocks(source, width, height), part,
               [&](const ConstPixels& in, const Region& region, const MutablePixels& out) {
                 averager.average(in, region, out);
               });
}

}  // namespace

TEST_CASE("parts of block means equal the formula on every vector target") {
  std::mt19937 random(51);
  const auto size = [&](unsigned most) { return 1 + static_cast<int>(random() % most); };
  for_each_vector_target([&] {
    BlockAverager averager;
    for (int round = 0; round < 300; ++round) {
      const int x_factor = round % 3 == 0 ? 2 : size(9), y_factor = round % 3 == 0 ? 2 : size(9);
      const int width = size(60), height = size(9);
      const Image source =
          any_image(x_factor * width, y_factor * height, round % 2 == 0 ? 1 : 3, random);
      require_blocks(averager, source, width, height, any_part(width, height, random));
    }
  });
}

TEST_CASE("blocks around the most rows whose column sums fit 16 bits") {
  BlockAverager averager;
  for (const int channels : {1, 3}) {
    for (const int y_factor : {256, 257, 258}) {
      Image source(10, 2 * y_factor, channels);
      std::fill(source.samples.begin(), source.samples.end(), std::uint8_t{255});
      require_blocks(averager, source, 5, 2, {0, 0, 5, 2});
    }
  }
}

TEST_CASE("sums beyond 24 bits are rounded to floats, beyond 31 they wrap") {
  BlockAverager averager;
  std::mt19937 random(52);
  require_blocks(averager, any_image(300, 300, 1, random), 1, 1, {0, 0, 1, 1});
  const int side = 2903;  // 2903² · 255 > 2^31: OpenCV's sum is negative, and the mean 0
  const std::vector<std::uint8_t> white(static_cast<std::size_t>(side) * side, 255);
  std::uint8_t mean = 99;
  averager.average({white.data(), side, side, 1, static_cast<std::size_t>(side)}, {0, 0, 1, 1},
                   {&mean, 1, 1, 1, 1});
  CHECK(mean == 0);
}
