#include "pack/jpeg_scale.hpp"

#include <array>

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

namespace {

struct Limits {
  ImageFilter filter;
  std::array<int, 3> halves;  // the least shrinking for 1/2, 1/4 and 1/8, in halves
};

constexpr std::array kLimits{
    Limits{ImageFilter::automatic, {18, 56, 144}},
    Limits{ImageFilter::area, {18, 56, 144}},
    Limits{ImageFilter::triangle, {11, 40, 112}},
    Limits{ImageFilter::cubic, {11, 40, 112}},
    Limits{ImageFilter::lanczos, {11, 40, 112}},
    Limits{ImageFilter::triangle_pillow12_1, {11, 40, 112}},
    Limits{ImageFilter::cubic_pillow12_1, {11, 40, 112}},
    Limits{ImageFilter::lanczos_pillow12_1, {11, 40, 112}},
};

constexpr Extent kTarget{320, 160};

// A size that is `halves` / 2 times the target, less some pixels.
Extent times(int halves, Extent less = {0, 0}) {
  return {kTarget.width * halves / 2 - less.width, kTarget.height * halves / 2 - less.height};
}

}  // namespace

TEST_CASE("a JPEG is decoded at a fraction once it shrinks enough") {
  for (const auto& [filter, halves] : kLimits) {
    CAPTURE(static_cast<int>(filter));
    int before = 1;
    for (std::size_t i = 0; i < halves.size(); ++i) {
      const int denominator = 2 << i;
      CHECK(jpeg_denominator(filter, times(halves[i]), kTarget) == denominator);
      CHECK(jpeg_denominator(filter, times(halves[i], {8, 0}), kTarget) == before);
      CHECK(jpeg_denominator(filter, times(halves[i], {0, 8}), kTarget) == before);
      before = denominator;
    }
    CHECK(jpeg_denominator(filter, times(1000), kTarget) == 8);
  }
}

TEST_CASE("a fraction of a JPEG has whole pixels") {
  constexpr ImageFilter kFilter = ImageFilter::area;
  constexpr Extent kSmall{100, 50};
  CHECK(jpeg_denominator(kFilter, {8000, 4000}, kSmall) == 8);
  CHECK(jpeg_denominator(kFilter, {8004, 4000}, kSmall) == 4);
  CHECK(jpeg_denominator(kFilter, {8000, 4002}, kSmall) == 2);
  CHECK(jpeg_denominator(kFilter, {8001, 4000}, kSmall) == 1);
  CHECK(jpeg_denominator(kFilter, {8000, 4001}, kSmall) == 1);
}

TEST_CASE("a JPEG is decoded whole for filters that do not antialias") {
  CHECK(jpeg_denominator(ImageFilter::linear, times(100), kTarget) == 1);
  CHECK(jpeg_denominator(ImageFilter::nearest, times(100), kTarget) == 1);
}

TEST_CASE("a JPEG that grows or keeps its size is decoded whole") {
  for (const Limits& limits : kLimits) {
    CHECK(jpeg_denominator(limits.filter, kTarget, kTarget) == 1);
    CHECK(jpeg_denominator(limits.filter, {1, 1}, kTarget) == 1);
  }
}

TEST_CASE("the largest JPEG does not overflow its decision") {
  CHECK(jpeg_denominator(ImageFilter::area, {65528, 65528}, {65528, 65528}) == 1);
  CHECK(jpeg_denominator(ImageFilter::area, {65528, 65528}, {1, 1}) == 8);
}
