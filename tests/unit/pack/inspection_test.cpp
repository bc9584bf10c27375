#include "pack/inspection.hpp"

#include "support/drawn_labels.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

// A label of 2-row height whose rows are given as digits.
Drawing digits(const std::string& rows, int width) {
  Drawing drawing{width, static_cast<int>(rows.size()) / width, 1, {}};
  for (const char digit : rows) drawing.samples.push_back(static_cast<std::uint8_t>(digit - '0'));
  return drawing;
}

std::string text_of(const std::vector<ValueCount>& counts) {
  std::string text;
  for (const ValueCount& count : counts)
    text += std::to_string(count.value) + ":" + std::to_string(count.pixels) + " ";
  return text;
}

}  // namespace

TEST_CASE("an inspection counts values, class pixels, ignored and unknown") {
  Drawing drawing = digits("0011133300112355", 8);
  drawing.samples.back() = 255;
  const LabelInspection label = inspected(drawing, 3);
  CHECK(label.kinds == 6);
  CHECK(text_of(label.values) == "0:4 1:5 2:1 3:4 5:1 255:1 ");
  CHECK(label.third_pixels == 4);
  CHECK(label.decoded);
  CHECK(text_of(label.classes) == "0:4 1:5 2:1 ");
  CHECK(label.ignored == 6);  // 255, and the unknown ones
  CHECK(label.unknown_pixels == 5);
  REQUIRE(label.unknown.size() == 2);
  CHECK(label.unknown[0].text == "id 3");
  CHECK(label.unknown[0].count == 4);
  CHECK(label.pixels() == 16);
}

TEST_CASE("an inspection counts steps, flat pixels and runs between neighbors") {
  // No ramps: a run of three, a peak. A ramp: the run of one in the last row.
  const LabelInspection label =
      inspected(digits("000033355555"
                       "000022255500"
                       "000011000111"
                       "000012222233",
                       12));
  CHECK(label.steps == 2 + 3 + 3 + 3);
  CHECK(label.ramps == 1);
  CHECK(label.first_ramp.x == 4);
  CHECK(label.first_ramp.y == 3);
  CHECK(label.flat_pixels == 9 + 4 + 4 + 9);
  const LabelInspection two = inspected(digits("000022555500", 12));
  CHECK(two.ramps == 1);
  CHECK(two.ramp_kinds == 1);
  CHECK(two.commonest_ramp == 1);
}

TEST_CASE("colors lie between two others when every channel does") {
  Drawing drawing{6, 1, 3, {0, 0, 0, 0, 0, 0, 50, 100, 0, 100, 200, 0, 100, 200, 0, 100, 200, 0}};
  CHECK(inspected(drawing).ramps == 1);
  drawing.at(2, 0, 2) = 1;  // a trace of blue that neither side has
  CHECK(inspected(drawing).ramps == 0);
}

TEST_CASE("a label that was refused for its form shows its values, but no classes") {
  std::vector<std::uint16_t> samples;
  const Drawing drawing = colored(drawn_ids({0, 1, 2}), {{0, 0, 0}, {128, 0, 0}, {0, 128, 0}});
  const LabelInspection label = inspected(raw_label(drawing, samples), nullptr);
  CHECK_FALSE(label.decoded);
  CHECK(label.holds_colors);
  CHECK(label.kinds == 3);
  CHECK(label.classes.empty());
  CHECK(label.ignored == 0);
}

TEST_CASE("an inspection has a bounded size whatever the label holds") {
  Drawing photo{300, 200, 3, {}};
  for (const std::uint16_t sample : noise_samples(300, 200, 3, 255))
    photo.samples.push_back(static_cast<std::uint8_t>(sample));
  const LabelInspection label = inspected(photo);
  CHECK(label.kinds == LabelInspection::kMostKinds);
  CHECK(label.values.size() == LabelInspection::kMostValues);
  CHECK(label.ramp_kinds <= 16);
}

TEST_CASE("masks of one sample are inspected one by one") {
  std::vector<std::uint16_t> first_samples, second_samples;
  SampleInspection inspection;
  inspect_label(raw_label(drawn_ids({0, 1}), first_samples), {}, {}, inspection);
  inspect_label(raw_label(drawn_ids({0, 2}), second_samples), {}, {}, inspection);
  REQUIRE(inspection.label_pixels.size() == 2);
  CHECK(inspection.label_pixels[0].values.back().value == 1);
  CHECK(inspection.label_pixels[1].values.back().value == 2);
}
