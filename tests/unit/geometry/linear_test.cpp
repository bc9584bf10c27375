#include "geometry/linear.hpp"

#include <array>
#include <random>

#include "support/catch.hpp"
#include "support/reference_resize.hpp"
#include "support/resized_parts.hpp"
#include "support/vector_targets.hpp"
#include "unit/geometry/resize_cases.hpp"

using namespace hotpack;
using namespace hotpack::geometry;
using namespace hotpack::test;
using reference::Image;

namespace {

// The hashes are those of OpenCV 4.6.0 of Debian 12.
constexpr std::array<ResizeCase, 6> kOpenCvCases{{
    {ImageFilter::linear, 1, {301, 211}, {480, 333}, 0xb2610ce0852595ab},
    {ImageFilter::linear, 3, {301, 211}, {480, 333}, 0x68c9c8bd8a9e2c32},
    {ImageFilter::linear, 1, {301, 211}, {50, 200}, 0x49665961b255bc6e},
    {ImageFilter::linear, 3, {301, 211}, {50, 200}, 0x3e3f85f5c338fc54},
    {ImageFilter::linear, 3, {301, 211}, {40, 500}, 0x33bf97902a56aa24},
    {ImageFilter::linear, 3, {1, 1}, {9, 7}, 0xedf36cfed1d2e979},
}};

void require_linear(LinearResizer& resizer, const Image& source, int width, int height,
                    const Part& part, LinearRule rule) {
  const bool columns = true;
  const Image wanted =
      rule == LinearRule::linear
          ? reference::combine_taps(source, reference::linear_taps(source.width, width, columns),
                                    reference::linear_taps(source.height, height, !columns))
          : reference::growing_area(source, width, height);
  require_part(source, wanted, part,
               [&](const ConstPixels& in, const Region& region, const MutablePixels& out) {
                 resizer.resample(in, region, rule, out);
               });
}

}  // namespace

TEST_CASE("linear equals OpenCV 4.6 on every vector target") {
  for_each_vector_target([] {
    for (const ResizeCase& resize_case : kOpenCvCases) {
      INFO(resize_case.channels << " channels to " << resize_case.target.width << "x"
                                << resize_case.target.height);
      CHECK(resize_hash(resize_case) == resize_case.hash);
    }
  });
}

TEST_CASE("parts of linear images equal the integer formula") {
  std::mt19937 random(21);
  const auto size = [&](unsigned most) { return 1 + static_cast<int>(random() % most); };
  for_each_vector_target([&] {
    LinearResizer resizer;
    for (int round = 0; round < 400; ++round) {
      const unsigned most = round % 4 == 0 ? 8 : 90;  // small images test the ends of vectors
      const Image source = any_image(size(most), size(most), round % 2 == 0 ? 1 : 3, random);
      const int width = size(most), height = size(most);
      const LinearRule rule = round % 3 == 0 ? LinearRule::growing_area : LinearRule::linear;
      require_linear(resizer, source, width, height, any_part(width, height, random), rule);
    }
  });
}

TEST_CASE("linear tables are rebuilt if size, place, rule or channels change") {
  std::mt19937 random(22);
  LinearResizer resizer;
  for (const int channels : {1, 3, 1}) {
    for (const int source_width : {20, 31}) {
      const Image source = any_image(source_width, 9, channels, random);
      for (const LinearRule rule : {LinearRule::linear, LinearRule::growing_area}) {
        for (const Part& part : {Part{0, 0, 44, 12}, Part{3, 1, 41, 10}, Part{0, 0, 41, 10}})
          require_linear(resizer, source, 44, 12, part, rule);
      }
    }
  }
}

TEST_CASE("taps at the border: columns drop the fraction, rows keep it") {
  const LinearTap column = linear_tap({LinearRule::linear, true, 4, 8, 0, 8}, 0);
  CHECK(column.first == 0);
  CHECK((column.first_weight == 2048 && column.second_weight == 0));
  const LinearTap row = linear_tap({LinearRule::linear, false, 4, 8, 0, 8}, 0);
  CHECK((row.first == 0 && row.second == 0));
  CHECK((row.first_weight == 512 && row.second_weight == 1536));
  const LinearTap last = linear_tap({LinearRule::linear, true, 4, 8, 0, 8}, 7);
  CHECK((last.first == 3 && last.second == 3 && last.first_weight == 2048));
}
