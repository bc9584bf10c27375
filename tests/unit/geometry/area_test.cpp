#include "geometry/area.hpp"

#include <algorithm>
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

// The hashes are those of OpenCV 4.6.0 of Debian 12. They include whole factors, a factor of 49
// that OpenCV does not take for whole, and axes that grow.
constexpr std::array<ResizeCase, 17> kOpenCvCases{{
    {ImageFilter::area, 1, {301, 211}, {97, 120}, 0xcc9702275cc2abaa},
    {ImageFilter::area, 3, {301, 211}, {97, 120}, 0xd2ddfc091c9ee14e},
    {ImageFilter::area, 1, {480, 360}, {224, 224}, 0x97703691183ca16a},
    {ImageFilter::area, 3, {480, 360}, {224, 224}, 0x42fbd0473f6ed4bc},
    {ImageFilter::area, 3, {300, 200}, {299, 199}, 0x4927b20b79e57240},
    {ImageFilter::area, 1, {300, 200}, {7, 3}, 0xa571603a59477c09},
    {ImageFilter::area, 3, {300, 200}, {7, 3}, 0x41d657d966524daf},
    {ImageFilter::area, 3, {301, 211}, {301, 100}, 0x4d7e5fe00ce9c674},
    {ImageFilter::area, 3, {301, 211}, {120, 211}, 0x4030fa9f7db02e9d},
    {ImageFilter::area, 1, {245, 147}, {5, 3}, 0x0f7c8e5ddec0bd69},
    {ImageFilter::area, 3, {245, 147}, {5, 3}, 0xf1222a9113e589db},
    {ImageFilter::area, 1, {301, 211}, {400, 50}, 0x2694db00a4283c2c},
    {ImageFilter::area, 3, {301, 211}, {400, 50}, 0x320eef2162d96bb0},
    {ImageFilter::area, 3, {301, 211}, {50, 400}, 0x9c296f832ab93e5b},
    {ImageFilter::area, 1, {384, 256}, {128, 64}, 0x7be62806480d4c91},
    {ImageFilter::area, 3, {384, 256}, {128, 64}, 0x4f62f48dc43c2802},
    {ImageFilter::area, 3, {384, 600}, {128, 2}, 0xfda29269ff379e6a},
}};

void require_area(AreaShrinker& shrinker, const Image& source, int width, int height,
                  const Part& part) {
  require_part(source, reference::area_of_parts(source, width, height), part,
               [&](const ConstPixels& in, const Region& region, const MutablePixels& out) {
                 shrinker.resample(in, region, out);
               });
}

}  // namespace

TEST_CASE("area equals OpenCV 4.6 on every vector target") {
  for_each_vector_target([] {
    for (const ResizeCase& resize_case : kOpenCvCases) {
      INFO(resize_case.channels << " channels, " << resize_case.source.width << "x"
                                << resize_case.source.height << " to " << resize_case.target.width
                                << "x" << resize_case.target.height);
      CHECK(resize_hash(resize_case) == resize_case.hash);
    }
  });
}

TEST_CASE("parts of area images equal the formula in floats") {
  std::mt19937 random(41);
  const auto size = [&](int most) {
    return 1 + static_cast<int>(random() % static_cast<unsigned>(most));
  };
  for_each_vector_target([&] {
    AreaShrinker shrinker;
    for (int round = 0; round < 300; ++round) {
      const int most = round % 4 == 0 ? 9 : 70;  // small images test the ends of vectors
      const Image source = any_image(size(most), size(most), round % 2 == 0 ? 1 : 3, random);
      const bool one_axis = round % 10 == 0;
      const int width = one_axis ? source.width : size(source.width);
      const int height = size(source.height);
      require_area(shrinker, source, width, height, any_part(width, height, random));
    }
  });
}

TEST_CASE("area tables are rebuilt if size, place or channels change") {
  std::mt19937 random(42);
  AreaShrinker shrinker;
  for (const int channels : {1, 3, 1}) {
    for (const int source_width : {50, 61}) {
      const Image source = any_image(source_width, 19, channels, random);
      for (const Part& part : {Part{0, 0, 44, 12}, Part{3, 1, 41, 10}, Part{0, 0, 41, 10}})
        require_area(shrinker, source, 44, 12, part);
    }
  }
}

TEST_CASE("shares are the parts of inputs that an output covers") {
  std::vector<float> shares;
  CHECK(area_shares({5, 2, 0, 2}, 0, shares) == 0);
  CHECK(shares == std::vector<float>{0.4f, 0.4f, 0.2f});
  CHECK(area_shares({5, 2, 0, 2}, 1, shares) == 2);
  CHECK(shares == std::vector<float>{0.2f, 0.4f, 0.4f});
  CHECK(area_shares({3, 3, 0, 3}, 1, shares) == 1);
  CHECK(shares == std::vector<float>{1.0f});
}

TEST_CASE("outputs cover every input, and neighbors share at most one") {
  std::vector<float> shares;
  for (const auto& [source, target] :
       {std::pair{1000, 999}, {999, 998}, {4096, 10}, {100000, 99999}, {70000, 3}, {49, 1}}) {
    int end = 0;
    for (int i = 0; i < target; ++i) {
      const int first = area_shares({source, target, 0, target}, i, shares);
      REQUIRE_FALSE(shares.empty());
      REQUIRE((first == end || first == end - 1));
      end = first + static_cast<int>(shares.size());
      REQUIRE(end <= source);
    }
    CHECK(end == source);
  }
}
