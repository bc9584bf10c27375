#include "check/label_signs.hpp"

#include "support/drawn_labels.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

using Ids = std::vector<std::uint8_t>;

const Ids kIds{0, 3, 7, 1, 9, 11, 5};
const std::vector<Color> kColors{{0, 0, 0},   {128, 0, 0},   {0, 128, 0},  {128, 128, 0},
                                 {0, 0, 128}, {128, 0, 128}, {0, 128, 128}};
const Drawing kMask = drawn_ids({0, 255});

std::vector<ValueCount> values(const Ids& ids) {
  std::vector<ValueCount> counts;
  for (const std::uint8_t id : ids) counts.push_back({id, 10});
  return counts;
}

std::bitset<65536> known_below(std::size_t count) {
  std::bitset<65536> known;
  for (std::size_t id = 0; id < count; ++id) known.set(id);
  known.set(255);
  return known;
}

}  // namespace

TEST_CASE("drawn labels have sharp borders, also after nearest resizing") {
  for (const std::uint32_t seed : {1u, 2u, 3u, 4u}) {
    const Drawing drawing = drawn_ids(kIds, 160, 120, seed);
    CHECK(borders_of(inspected(drawing)) == Borders::sharp);
    CHECK(borders_of(inspected(nearest(drawing, 300, 170))) == Borders::sharp);
    CHECK(borders_of(inspected(nearest(drawing, 70, 60))) == Borders::sharp);
    CHECK(borders_of(inspected(colored(drawn_ids({0, 1, 2, 3, 4, 5, 6}, 160, 120, seed),
                                       kColors))) == Borders::sharp);
  }
  CHECK(borders_of(inspected(kMask)) == Borders::sharp);
}

TEST_CASE("interpolated labels have blended borders, of ids and of colors") {
  for (const std::uint32_t seed : {1u, 2u, 3u, 4u}) {
    const Drawing drawing = drawn_ids(kIds, 320, 240, seed);
    CHECK(borders_of(inspected(interpolated(drawing, 439, 333))) == Borders::blended);
    CHECK(borders_of(inspected(interpolated(drawing, 200, 150))) == Borders::blended);
    CHECK(borders_of(inspected(interpolated(
              colored(drawn_ids({0, 1, 2, 3, 4, 5, 6}, 320, 240, seed), kColors), 439, 333))) ==
          Borders::blended);
  }
}

TEST_CASE("borders are blended if more than 14 % of the steps are ramps") {
  LabelInspection label;
  label.width = label.height = 100;
  label.flat_pixels = 9000;
  label.third_pixels = 500;
  label.kinds = label.ramp_kinds = 4;
  label.steps = 1000;
  label.ramps = 141;
  CHECK(borders_of(label) == Borders::blended);
  label.ramps = 140;
  CHECK(borders_of(label) == Borders::sharp);
}

TEST_CASE("a mask with smooth edges is anti-aliased") {
  CHECK(borders_of(inspected(interpolated(interpolated(kMask, 230, 170), 160, 120))) ==
        Borders::anti_aliased);
}

TEST_CASE("a JPEG saved as PNG is recognized by its blocks") {
  CHECK(borders_of(inspected(through_jpeg(drawn_ids(kIds, 320, 240), 75))) == Borders::jpeg);
  CHECK(borders_of(inspected(through_jpeg(
            colored(drawn_ids({0, 1, 2, 3, 4, 5, 6}, 320, 240), kColors), 75))) == Borders::jpeg);
}

TEST_CASE("a thin class between two others is not a blended border") {
  // Every border of the discs has a line of id 1 around it, as boundary classes have.
  Drawing drawing = drawn_ids({0, 2});
  const Drawing before = drawing;
  for (int y = 0; y < drawing.height; ++y)
    for (int x = 1; x < drawing.width; ++x)
      if (before.at(x, y) != before.at(x - 1, y)) drawing.at(x, y) = 1;
  const LabelInspection label = inspected(drawing);
  CHECK(label.ramps * 4 > label.steps);
  CHECK(borders_of(label) == Borders::sharp);
}

TEST_CASE("a photo is distinguished from labels and from JPEGs of labels") {
  Drawing photo{160, 120, 3, {}};
  const auto ramp = smooth_samples(160, 120, 3);
  const auto noise = noise_samples(160, 120, 3, 8);
  for (std::size_t i = 0; i < ramp.size(); ++i)
    photo.samples.push_back(static_cast<std::uint8_t>(std::min(255, ramp[i] + noise[i])));
  CHECK(looks_like_photo(inspected(photo)));
  CHECK_FALSE(looks_like_photo(inspected(drawn_ids(kIds))));
  CHECK_FALSE(looks_like_photo(inspected(colored(drawn_ids({0, 1, 2, 3, 4, 5, 6}), kColors))));
  CHECK_FALSE(looks_like_photo(inspected(through_jpeg(kMask, 75))));
}

TEST_CASE("ids of a rescaled low-depth PNG are reported by their common factor") {
  CHECK(rescale_factor(values({0, 85, 170, 255}), known_below(3)) == 85);
  CHECK(rescale_factor(values({0, 85}), known_below(3)) == 85);
  CHECK(rescale_factor(values({0, 17, 34, 187}), known_below(12)) == 17);
  CHECK(rescale_factor(values({17, 51}), known_below(12)) == 17);
  SECTION("of ids that are all classes several must show it") {
    CHECK(rescale_factor(values({0, 17, 34, 51, 68}), known_below(200)) == 17);
    CHECK(rescale_factor(values({0, 17, 34}), known_below(200)) == 1);
    CHECK(rescale_factor(values({0, 85, 170}), known_below(200)) == 85);
    CHECK(rescale_factor(values({0, 85}), known_below(200)) == 1);
  }
  SECTION("what any label may hold says nothing") {
    CHECK(rescale_factor(values({0, 255}), known_below(12)) == 1);
    CHECK(rescale_factor(values({0}), known_below(12)) == 1);
    CHECK(rescale_factor(values({}), known_below(12)) == 1);
    CHECK(rescale_factor(values({0, 17, 34, 37}), known_below(12)) == 1);
  }
}

TEST_CASE("ids are samples, or colors of equal channels") {
  const Drawing ids = drawn_ids({0, 1, 2});
  REQUIRE(id_values(inspected(ids)).has_value());
  Drawing gray{ids.width, ids.height, 3, {}};
  for (const std::uint8_t id : ids.samples) gray.samples.insert(gray.samples.end(), 3, id);
  const auto found = id_values(inspected(gray));
  REQUIRE(found.has_value());
  CHECK(values_text(*found) == "0, 1, 2");
  gray.at(3, 3, 1) = 77;
  CHECK_FALSE(id_values(inspected(gray)).has_value());
}

TEST_CASE("long lists of values are shortened in the middle") {
  CHECK(values_text(values({0, 17, 34, 51, 68})) == "0, 17, 34, 51, 68");
  CHECK(values_text(values({0, 17, 34, 51, 68, 85})) == "0, 17, 34, 51 … 85");
}
