#include "pack/image_defects.hpp"

#include <algorithm>
#include <vector>

#include "base/pixels.hpp"
#include "base/raw_label.hpp"
#include "support/drawn_labels.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

ConstPixels view(const Drawing& drawing) {
  return {drawing.samples.data(), drawing.width, drawing.height, drawing.channels,
          static_cast<std::size_t>(drawing.width * drawing.channels)};
}

Drawing noise(int channels) {
  Drawing drawing{20, 40, channels, {}};
  for (const std::uint16_t sample : noise_samples(20, 40, channels, 255))
    drawing.samples.push_back(static_cast<std::uint8_t>(sample));
  return drawing;
}

// Fills rows from `first` on with one gray.
Drawing filled_from(Drawing drawing, int first, std::uint8_t gray) {
  std::fill(&drawing.at(0, first), drawing.samples.data() + drawing.samples.size(), gray);
  return drawing;
}

}  // namespace

TEST_CASE("an image of one color is found, and one other pixel makes it none") {
  for (const int channels : {1, 3}) {
    Drawing drawing = filled_from(noise(channels), 0, 7);
    CHECK(find_defects(view(drawing)).one_color);
    CHECK(find_defects(view(drawing)).filled == 0);
    CHECK(has_only(view(drawing), {7, 7, 7}));
    CHECK_FALSE(has_only(view(drawing), {7, 7, 8}));
    const auto [x, y] = GENERATE(std::pair{0, 0}, std::pair{19, 0}, std::pair{3, 17},
                                 std::pair{0, 39}, std::pair{19, 39});
    drawing.at(x, y, channels - 1) ^= 1;
    CHECK_FALSE(find_defects(view(drawing)).one_color);
    CHECK_FALSE(has_only(view(drawing), {7, 7, 7}));
  }
  CHECK_FALSE(find_defects(view(Drawing{4, 4, 1, std::vector<std::uint8_t>(16, 7)})).one_color);
}

TEST_CASE("rows that a decoder filled with middle gray are found") {
  for (const int channels : {1, 3}) {
    CHECK(find_defects(view(filled_from(noise(channels), 30, 128))).filled == 0.25);
    CHECK(find_defects(view(filled_from(noise(channels), 30, 126))).filled == 0.25);
    CHECK(find_defects(view(filled_from(noise(channels), 33, 128))).filled == 0);  // seven rows
    CHECK(find_defects(view(filled_from(noise(channels), 30, 100))).filled == 0);
  }
  Drawing framed = filled_from(noise(1), 30, 128);
  std::fill(&framed.at(0, 0), &framed.at(0, 1), 128);
  CHECK(find_defects(view(framed)).filled == 0);
}

TEST_CASE("an image that shows its label is found in each form of a label") {
  const std::vector<Color> colors{{0, 0, 0}, {9, 90, 200}, {255, 0, 7}};
  const Drawing ids = drawn_ids({0, 1, 2}, 60, 40);
  const Drawing drawn = colored(ids, colors);
  std::vector<std::uint16_t> samples;
  RawLabel label = raw_label(drawn, samples);
  SECTION("colors") {}
  SECTION("a palette") {
    label = raw_label(ids, samples);
    label.is_palette = true;
    for (const Color& color : colors) label.palette.push_back({color[0], color[1], color[2]});
  }
  SECTION("colors of 16 bits") {
    for (const std::uint8_t sample : drawn.samples)
      samples.push_back(static_cast<std::uint16_t>(sample << 8 | 3));
    label.rgb = {};
    label.bit_depth = 16;
    label.wide_rgb = {samples.data(), 60, 40, 3, samples.size() / 40 * 2};
  }
  CHECK(shows_label(view(drawn), label));
  Drawing other = drawn;
  other.at(59, 39) ^= 1;
  CHECK_FALSE(shows_label(view(other), label));
  label.width = 59;
  CHECK_FALSE(shows_label(view(drawn), label));
}

TEST_CASE("gray values of a label are seen as viewers scale them") {
  std::vector<std::uint16_t> samples;
  RawLabel label = raw_label(drawn_ids({0, 1, 3}, 60, 40), samples);
  CHECK(shows_label(view(drawn_ids({0, 1, 3}, 60, 40)), label));
  label.bit_depth = 2;
  CHECK(shows_label(view(drawn_ids({0, 85, 255}, 60, 40)), label));
  CHECK_FALSE(shows_label(view(drawn_ids({0, 1, 3}, 60, 40)), label));
  label.bit_depth = 16;
  for (std::uint16_t& sample : samples) sample = static_cast<std::uint16_t>(sample << 8);
  CHECK(shows_label(view(drawn_ids({0, 1, 3}, 60, 40)), label));
}

TEST_CASE("a label of one value is not shown by a constant image") {
  std::vector<std::uint16_t> samples;
  const Drawing ids = drawn_ids({0}, 60, 40);
  CHECK_FALSE(shows_label(view(ids), raw_label(ids, samples)));
}
