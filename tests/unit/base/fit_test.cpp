#include "base/fit.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include "support/catch.hpp"

using namespace hotpack;

namespace {

Region centred(Fit fit, Extent source, Extent target) { return fit_region(fit, Anchor::centre, source, target); }

// Python's floor division, which the published rule is written in.
int floor_div(int a, int b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }

// Where resize_with_crop_or_pad puts the source's first row or column: padding before it, or minus what is cut.
int crop_or_pad_offset(int source, int target) {
  const int difference = target - source;
  return std::max(floor_div(difference, 2), 0) - std::max(floor_div(-difference, 2), 0);
}

}  // namespace

TEST_CASE("fits and anchors have names that read back") {
  for (const Fit fit : {Fit::stretch, Fit::crop_or_pad, Fit::contain, Fit::cover, Fit::none}) CHECK(fit_from_name(fit_name(fit)) == fit);
  CHECK(fit_name(Fit::crop_or_pad) == "crop-or-pad");
  for (const Anchor anchor : {Anchor::centre, Anchor::top_left}) CHECK(anchor_from_name(anchor_name(anchor)) == anchor);
  CHECK(anchor_name(Anchor::top_left) == "top-left");
  CHECK_FALSE(fit_from_name("long-side"));
  CHECK_FALSE(anchor_from_name("center"));
}

TEST_CASE("stretch fills the record, none keeps the source") {
  for (const Anchor anchor : {Anchor::centre, Anchor::top_left}) {
    CHECK(fit_region(Fit::stretch, anchor, {480, 360}, {512, 512}) == Region{0, 0, 512, 512});
    CHECK(fit_region(Fit::none, anchor, {480, 360}, {1, 1}) == Region{0, 0, 480, 360});
  }
}

TEST_CASE("crop-or-pad puts the odd row at the end, cropping and padding alike") {
  const auto offset = [](int source) { return centred(Fit::crop_or_pad, {source, source}, {512, 512}).y; };
  CHECK(offset(720) == -104);
  CHECK(offset(721) == -104);
  CHECK(offset(375) == 68);
  CHECK(offset(480) == 16);
  CHECK(offset(360) == 76);
  CHECK(offset(511) == 0);
  CHECK(offset(512) == 0);
  CHECK(offset(513) == 0);
}

TEST_CASE("crop-or-pad treats each axis by itself") {
  CHECK(centred(Fit::crop_or_pad, {960, 360}, {512, 512}) == Region{-224, 76, 960, 360});
  std::mt19937 random(21);
  for (int round = 0; round < 2000; ++round) {
    const auto size = [&] { return 1 + static_cast<int>(random() % 1000); };
    const Extent source{size(), size()}, target{size(), size()};
    const Region wanted{crop_or_pad_offset(source.width, target.width), crop_or_pad_offset(source.height, target.height), source.width,
                        source.height};
    REQUIRE(centred(Fit::crop_or_pad, source, target) == wanted);
  }
}

TEST_CASE("contain scales to fit, rounds half up and centres") {
  CHECK(centred(Fit::contain, {480, 360}, {512, 512}) == Region{0, 64, 512, 384});
  CHECK(centred(Fit::contain, {360, 480}, {512, 512}) == Region{64, 0, 384, 512});
  CHECK(centred(Fit::contain, {100, 100}, {512, 512}) == Region{0, 0, 512, 512});
  CHECK(centred(Fit::contain, {4, 1}, {10, 10}) == Region{0, 3, 10, 3});     // 2.5 becomes 3; the odd row is at the end
  CHECK(centred(Fit::contain, {1000, 1}, {10, 10}) == Region{0, 4, 10, 1});  // never less than one row
}

TEST_CASE("cover scales to fill, rounds half up and crops the middle") {
  CHECK(centred(Fit::cover, {480, 360}, {512, 512}) ==
        Region{-85, 0, 683, 512});  // 682.67; 171 too many, the odd column dropped at the end
  CHECK(centred(Fit::cover, {360, 480}, {512, 512}) == Region{0, -85, 512, 683});
  CHECK(centred(Fit::cover, {224, 224}, {224, 224}) == Region{0, 0, 224, 224});
  CHECK(centred(Fit::cover, {3, 2}, {2, 2}) == Region{0, 0, 3, 2});
}

TEST_CASE("contain lies inside the record and cover around it, one axis exact") {
  std::mt19937 random(22);
  for (int round = 0; round < 2000; ++round) {
    const auto size = [&] { return 1 + static_cast<int>(random() % 700); };
    const Extent source{size(), size()}, target{size(), size()};
    const Region inner = centred(Fit::contain, source, target), outer = centred(Fit::cover, source, target);
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
      const Region centre = centred(fit, source, {512, 512});
      CHECK(fit_region(fit, Anchor::top_left, source, {512, 512}) == Region{0, 0, centre.width, centre.height});
    }
  }
}

TEST_CASE("a very long picture does not overflow a region") {
  const Region region = centred(Fit::cover, {1, 10'000'000}, {512, 512});  // 5,120,000,000 rows
  CHECK(region.width == 512);
  CHECK(region.height == std::numeric_limits<int>::max());
  CHECK(region.y < 0);
}
