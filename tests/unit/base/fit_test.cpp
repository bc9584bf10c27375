#include "base/fit.hpp"
#include "base/words.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include "support/catch.hpp"

using namespace hotpack;

namespace {

Region centered(Fit fit, Extent source, Extent target) {
  return fit_region(fit, Anchor::center, source, target);
}

// Python's floor division, as in the published rule.
int floor_div(int a, int b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }

// The place of the source's first row or column in resize_with_crop_or_pad: padding before it, or
// minus the cropped part.
int crop_or_pad_offset(int source, int target) {
  const int difference = target - source;
  return std::max(floor_div(difference, 2), 0) - std::max(floor_div(-difference, 2), 0);
}

}  // namespace

TEST_CASE("fits and anchors have names that read back") {
  for (const Fit fit : {Fit::stretch, Fit::crop_or_pad, Fit::contain, Fit::cover, Fit::none,
                        Fit::long_side, Fit::short_side}) {
    CHECK(value_of<Fit>(word_of(fit)) == fit);
  }
  CHECK(word_of(Fit::crop_or_pad) == "crop-or-pad");
  CHECK(word_of(Fit::long_side) == "long-side");
  CHECK(word_of(Fit::short_side) == "short-side");
  for (const Anchor anchor : {Anchor::center, Anchor::top_left})
    CHECK(value_of_packed<Anchor>(packed_word_of(anchor)) == anchor);
  CHECK(packed_word_of(Anchor::top_left) == "top-left");
  CHECK_FALSE(value_of<Fit>("long_side"));
  CHECK_FALSE(value_of_packed<Anchor>("centre"));
}

TEST_CASE("stretch fills the record, none keeps the source") {
  for (const Anchor anchor : {Anchor::center, Anchor::top_left}) {
    CHECK(fit_region(Fit::stretch, anchor, {480, 360}, {512, 512}) == Region{0, 0, 512, 512});
    CHECK(fit_region(Fit::none, anchor, {480, 360}, {1, 1}) == Region{0, 0, 480, 360});
  }
}

TEST_CASE("crop-or-pad puts the odd row at the end, cropping and padding alike") {
  const auto offset = [](int source) {
    return centered(Fit::crop_or_pad, {source, source}, {512, 512}).y;
  };
  CHECK(offset(720) == -104);
  CHECK(offset(721) == -104);
  CHECK(offset(375) == 68);
  CHECK(offset(480) == 16);
  CHECK(offset(360) == 76);
  CHECK(offset(511) == 0);
  CHECK(offset(512) == 0);
  CHECK(offset(513) == 0);
}

TEST_CASE("crop-or-pad treats each axis separately") {
  CHECK(centered(Fit::crop_or_pad, {960, 360}, {512, 512}) == Region{-224, 76, 960, 360});
  std::mt19937 random(21);
  for (int round = 0; round < 2000; ++round) {
    const auto size = [&] { return 1 + static_cast<int>(random() % 1000); };
    const Extent source{size(), size()}, target{size(), size()};
    const Region wanted{crop_or_pad_offset(source.width, target.width),
                        crop_or_pad_offset(source.height, target.height), source.width,
                        source.height};
    REQUIRE(centered(Fit::crop_or_pad, source, target) == wanted);
  }
}

TEST_CASE("contain scales to fit, rounds half up and centers") {
  CHECK(centered(Fit::contain, {480, 360}, {512, 512}) == Region{0, 64, 512, 384});
  CHECK(centered(Fit::contain, {360, 480}, {512, 512}) == Region{64, 0, 384, 512});
  CHECK(centered(Fit::contain, {100, 100}, {512, 512}) == Region{0, 0, 512, 512});
  CHECK(centered(Fit::contain, {4, 1}, {10, 10}) ==
        Region{0, 3, 10, 3});  // 2.5 becomes 3; the odd row is at the end
  CHECK(centered(Fit::contain, {1000, 1}, {10, 10}) ==
        Region{0, 4, 10, 1});  // never less than one row
}

TEST_CASE("cover scales to fill, rounds half up and crops the middle") {
  CHECK(centered(Fit::cover, {480, 360}, {512, 512}) ==
        Region{-85, 0, 683, 512});  // 682.67; 171 too many, the odd column dropped at the end
  CHECK(centered(Fit::cover, {360, 480}, {512, 512}) == Region{0, -85, 512, 683});
  CHECK(centered(Fit::cover, {224, 224}, {224, 224}) == Region{0, 0, 224, 224});
  CHECK(centered(Fit::cover, {3, 2}, {2, 2}) == Region{0, 0, 3, 2});
}

TEST_CASE("contain lies inside the record and cover around it, one axis exact") {
  std::mt19937 random(22);
  for (int round = 0; round < 2000; ++round) {
    const auto size = [&] { return 1 + static_cast<int>(random() % 700); };
    const Extent source{size(), size()}, target{size(), size()};
    const Region inner = centered(Fit::contain, source, target),
                 outer = centered(Fit::cover, source, target);
    INFO(source.width << "x" << source.height << " into " << target.width << "x" << target.height);
    REQUIRE((inner.width == target.width || inner.height == target.height));
    REQUIRE((inner.x >= 0 && inner.y >= 0 && inner.width >= 1 && inner.height >= 1));
    REQUIRE((inner.x + inner.width <= target.width && inner.y + inner.height <= target.height));
    REQUIRE((outer.width == target.width || outer.height == target.height));
    REQUIRE((outer.x <= 0 && outer.y <= 0));
    REQUIRE((outer.x + outer.width >= target.width && outer.y + outer.height >= target.height));
  }
}

TEST_CASE("the top-left anchor changes the corner only") {
  for (const Fit fit : {Fit::crop_or_pad, Fit::contain, Fit::cover}) {
    for (const Extent source : {Extent{480, 360}, Extent{900, 1200}, Extent{30, 20}}) {
      const Region center = centered(fit, source, {512, 512});
      CHECK(fit_region(fit, Anchor::top_left, source, {512, 512}) ==
            Region{0, 0, center.width, center.height});
    }
  }
}

TEST_CASE("a very long image does not overflow a region") {
  const Region region = centered(Fit::cover, {1, 10'000'000}, {512, 512});  // 5,120,000,000 rows
  CHECK(region.width == 512);
  CHECK(region.height == std::numeric_limits<int>::max());
  CHECK(region.y < 0);
}

TEST_CASE("long-side scales the longer side to the record's longer side") {
  const auto size = [](Extent source, Extent target) {
    return scaled_extent(Fit::long_side, source, target);
  };
  CHECK(size({960, 720}, {512, 512}) == Extent{512, 384});
  CHECK(size({720, 960}, {512, 512}) == Extent{384, 512});
  CHECK(size({100, 100}, {512, 512}) == Extent{512, 512});  // enlarges too
  CHECK(size({960, 720}, {512, 256}) ==
        Extent{512, 384});  // only the longer side of the record counts
  CHECK(size({720, 960}, {512, 256}) == Extent{384, 512});
  CHECK(size({4, 1}, {10, 10}) == Extent{10, 3});     // 2.5, halves go up
  CHECK(size({1000, 1}, {10, 10}) == Extent{10, 1});  // never less than one row
  CHECK(centered(Fit::long_side, {960, 720}, {512, 256}) == Region{0, -64, 512, 384});
  CHECK(centered(Fit::long_side, {720, 960}, {512, 256}) == Region{64, -128, 384, 512});
  CHECK(fit_region(Fit::long_side, Anchor::top_left, {720, 960}, {512, 256}) ==
        Region{0, 0, 384, 512});
}

TEST_CASE("short-side scales the shorter side to the record's shorter side") {
  const auto size = [](Extent source, Extent target) {
    return scaled_extent(Fit::short_side, source, target);
  };
  CHECK(size({960, 720}, {512, 512}) == Extent{683, 512});
  CHECK(size({720, 960}, {512, 512}) == Extent{512, 683});
  CHECK(size({100, 100}, {512, 512}) == Extent{512, 512});
  CHECK(size({960, 720}, {512, 256}) == Extent{341, 256});
  CHECK(size({720, 960}, {512, 256}) == Extent{256, 341});
  CHECK(centered(Fit::short_side, {960, 720}, {512, 512}) == Region{-85, 0, 683, 512});
  CHECK(centered(Fit::short_side, {720, 960}, {512, 256}) == Region{128, -42, 256, 341});
}

TEST_CASE("in square records long-side equals contain and short-side equals cover") {
  std::mt19937 random(23);
  for (int round = 0; round < 2000; ++round) {
    const auto size = [&] { return 1 + static_cast<int>(random() % 700); };
    const Extent source{size(), size()};
    const int side = size();
    INFO(source.width << "x" << source.height << " into " << side);
    REQUIRE(centered(Fit::long_side, source, {side, side}) ==
            centered(Fit::contain, source, {side, side}));
    REQUIRE(centered(Fit::short_side, source, {side, side}) ==
            centered(Fit::cover, source, {side, side}));
  }
}

TEST_CASE("scaled_extent is the size of the region, whatever the fit") {
  for (const Fit fit : {Fit::stretch, Fit::crop_or_pad, Fit::contain, Fit::cover, Fit::none,
                        Fit::long_side, Fit::short_side}) {
    for (const Extent source : {Extent{480, 360}, Extent{31, 977}, Extent{1, 1}}) {
      const Region region = centered(fit, source, {200, 100});
      CHECK(scaled_extent(fit, source, {200, 100}) == Extent{region.width, region.height});
    }
  }
}

TEST_CASE("an overlong strip of long-side or short-side ends at the region range") {
  CHECK(scaled_extent(Fit::short_side, {1, 10'000'000}, {512, 512}) ==
        Extent{512, std::numeric_limits<int>::max()});
  CHECK(scaled_extent(Fit::long_side, {1, 10'000'000}, {512, 512}) == Extent{1, 512});
}

TEST_CASE("a padded length is the next multiple") {
  CHECK(padded_length(1, 32) == 32);
  CHECK(padded_length(32, 32) == 32);
  CHECK(padded_length(33, 32) == 64);
  CHECK(padded_length(7, 1) == 7);
  CHECK(padded_length(5, 1000) == 1000);
  CHECK(padded_length(std::numeric_limits<int>::max(), 2) ==
        std::numeric_limits<int>::max());  // the next one is no int
}

TEST_CASE("tiles step by size minus overlap, and the last one ends at the edge") {
  CHECK(tile_edges(100, 100, 0) == std::vector{0});
  CHECK(tile_edges(60, 100, 20) == std::vector{0});
  CHECK(tile_edges(200, 100, 0) == std::vector{0, 100});
  CHECK(tile_edges(101, 100, 0) == std::vector{0, 1});
  CHECK(tile_edges(250, 100, 0) == std::vector{0, 100, 150});
  CHECK(tile_edges(260, 100, 20) == std::vector{0, 80, 160});
  CHECK(tile_edges(261, 100, 20) == std::vector{0, 80, 160, 161});
  CHECK(tile_edges(3, 1, 0) == std::vector{0, 1, 2});
  CHECK(tile_edges(1200, 896, 512) == std::vector{0, 304});  // the sliding crops of aerial images
}

TEST_CASE("tiles are distinct, cover the image and overlap at least as requested") {
  std::mt19937 random(24);
  for (int round = 0; round < 5000; ++round) {
    const int length = 1 + static_cast<int>(random() % 400),
              tile = 1 + static_cast<int>(random() % 120);
    const int overlap = static_cast<int>(random() % static_cast<unsigned>(tile));
    const std::vector<int> edges = tile_edges(length, tile, overlap);
    INFO(length << " in tiles of " << tile << " overlapping by " << overlap);
    REQUIRE(edges.front() == 0);
    REQUIRE((edges.size() == 1 ? length <= tile : edges.back() == length - tile));
    for (std::size_t i = 1; i < edges.size(); ++i) {
      REQUIRE(edges[i] > edges[i - 1]);
      REQUIRE(edges[i] - edges[i - 1] <= tile - overlap);
    }
    // No tile is superfluous: without the last one the image would not be covered.
    if (edges.size() > 1) REQUIRE(edges[edges.size() - 2] + tile < length);
  }
}
