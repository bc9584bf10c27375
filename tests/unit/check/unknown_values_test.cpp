#include "check/unknown_values.hpp"

#include "support/drawn_labels.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

LabelContext id_context(int classes, bool refuses = true) {
  LabelContext context;
  context.reading = LabelContext::Reading::ids;
  context.refuses_unknown = refuses;
  context.unknown = refuses ? "error" : "ignore";
  context.numbered = true;
  for (int c = 0; c < classes; ++c) context.class_names.push_back(std::to_string(c));
  context.last_id = static_cast<std::uint32_t>(classes - 1);
  return context;
}

LabelContext color_context() {
  LabelContext context = id_context(2);
  context.reading = LabelContext::Reading::colors;
  context.numbered = false;
  context.class_names = {"Sky", "Road"};
  context.colors = {{{128, 128, 128}, 0}, {{0, 0, 120}, 1}};
  return context;
}

LabelInspection unknown_label(const std::vector<labels::UnknownValue>& values,
                              std::uint64_t kinds = 0) {
  LabelInspection label;
  label.width = label.height = 100;
  label.unknown = values;
  for (const auto& value : values) label.unknown_pixels += value.count;
  label.unknown_kinds = kinds > 0 ? kinds : values.size();
  return label;
}

labels::UnknownValue unknown_id(int id, std::uint64_t count, int x = 0, int y = 0) {
  labels::UnknownValue value;
  value.text = "id " + std::to_string(id);
  value.count = count, value.x = x, value.y = y;
  return value;
}

labels::UnknownValue unknown_color(RgbColor color, std::uint64_t count) {
  labels::UnknownValue value;
  value.text = "color (" + std::to_string(color[0]) + "," + std::to_string(color[1]) + "," +
               std::to_string(color[2]) + ")";
  value.color = color;
  value.count = count;
  return value;
}

std::vector<Diagnostic> diagnostics_of(const UnknownValues& values, const LabelContext& context,
                                       std::vector<bool> never_seen = {}) {
  Diagnostics diagnostics;
  never_seen.resize(context.class_names.size());
  values.finish(context, 148, never_seen, diagnostics);
  return diagnostics.all();
}

}  // namespace

TEST_CASE("unknown colors are grouped by value, with labels and nearest class") {
  UnknownValues values;
  values.add("a.png", unknown_label({unknown_color({0, 0, 128}, 17300)}));
  values.add("b.png", unknown_label({unknown_color({0, 0, 128}, 2), unknown_color({9, 9, 9}, 1)}));
  values.add("fine.png", unknown_label({}));
  const auto diagnostics = diagnostics_of(values, color_context());
  REQUIRE(diagnostics.size() == 2);
  CHECK(diagnostics[0].severity == Severity::problem);
  CHECK(diagnostics[0].title ==
        "17,302 pixels in 2 of 148 labels have color (0,0,128), which no class has");
  CHECK(diagnostics[0].pixels == 17302);
  CHECK(diagnostics[0].value == "color (0,0,128)");
  CHECK_THAT(diagnostics[0].advice, ContainsSubstring("that of class 'Road', at distance 8"));
  CHECK(diagnostics[0].options ==
        std::vector<std::string>{"--unknown nearest:8", "--unknown ignore"});
  REQUIRE(diagnostics[0].examples.size() == 2);
  CHECK(diagnostics[0].examples[0].path == "a.png");
  CHECK(diagnostics[1].title == "1 pixel in 1 of 148 labels has color (9,9,9), which no class has");
  CHECK(diagnostics[1].options ==
        std::vector<std::string>{"--unknown ignore"});  // no class is near
}

TEST_CASE("a wrong class file line is found by its unused class and a near color") {
  UnknownValues values;
  for (int i = 0; i < 148; ++i)
    values.add(std::to_string(i), unknown_label({unknown_color({0, 0, 128}, 10)}));
  const auto diagnostics = diagnostics_of(values, color_context(), {false, true});
  REQUIRE(diagnostics.size() == 1);
  CHECK_THAT(diagnostics[0].title, ContainsSubstring("in all 148 labels"));
  CHECK_THAT(
      diagnostics[0].advice,
      ContainsSubstring("that class never occurs, so its line in the class file may be wrong"));
}

TEST_CASE("colors with red and blue exchanged are named as such") {
  LabelContext context = color_context();
  context.colors.push_back({{142, 0, 7}, 1});
  UnknownValues values;
  values.add("a.png",
             unknown_label({unknown_color({7, 0, 142}, 9), unknown_color({120, 0, 0}, 1)}));
  auto diagnostics = diagnostics_of(values, context);
  REQUIRE(diagnostics.size() == 1);
  CHECK_THAT(diagnostics[0].advice, ContainsSubstring("with red and blue exchanged"));
  CHECK(diagnostics[0].options.empty());  // no way that loses the classes
  values.add("a.png", unknown_label({unknown_color({7, 0, 143}, 9)}));
  diagnostics = diagnostics_of(values, context);
  REQUIRE(diagnostics.size() == 2);
  CHECK_THAT(diagnostics[1].advice, !ContainsSubstring("exchanged"));
}

TEST_CASE("an id one beyond the last class asks whether there are more classes") {
  UnknownValues values;
  values.add("a.png", unknown_label({unknown_id(12, 40, 5, 6)}));
  const auto diagnostics = diagnostics_of(values, id_context(12));
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0].title == "40 pixels in 1 of 148 labels have id 12, which no class has");
  CHECK_THAT(diagnostics[0].advice, ContainsSubstring("one more than the id of the last class"));
  CHECK(diagnostics[0].options == std::vector<std::string>{"--ignore 12", "--unknown ignore"});
  REQUIRE(diagnostics[0].examples[0].place.has_value());
  CHECK(diagnostics[0].examples[0].place->x == 5);
  CHECK(diagnostics[0].examples[0].place->y == 6);
}

TEST_CASE("values of the same labels are one diagnostic, of other labels another") {
  UnknownValues values;
  values.add("times 17", unknown_label({unknown_id(17, 3), unknown_id(34, 5), unknown_id(51, 1)}));
  values.add("crowded", unknown_label({unknown_id(37, 2)}));
  const auto diagnostics = diagnostics_of(values, id_context(12));
  REQUIRE(diagnostics.size() == 2);
  CHECK(diagnostics[0].title ==
        "9 pixels in 1 of 148 labels have ids 17, 34, 51, which no class has");
  CHECK(diagnostics[0].examples[0].found == "5 pixels of id 34");
  CHECK(diagnostics[1].title == "2 pixels in 1 of 148 labels have id 37, which no class has");
}

TEST_CASE("many unknown ids become one line of ranges") {
  UnknownValues values;
  for (int id = 12; id <= 40; ++id)
    values.add("label " + std::to_string(id), unknown_label({unknown_id(id, 1)}));
  const auto diagnostics = diagnostics_of(values, id_context(12));
  REQUIRE(diagnostics.size() == 9);
  CHECK(diagnostics.back().title == "21 pixels have one of 21 further unknown values: ids 20…40");
  CHECK(diagnostics.back().examples.size() == Diagnostic::kExamples);
}

TEST_CASE("a label full of unknown values is one diagnostic and joins no list") {
  UnknownValues values;
  std::vector<labels::UnknownValue> some;
  for (int i = 0; i < 16; ++i) some.push_back(unknown_id(20 + i, 3));
  values.add("photo.png", unknown_label(some, 200));
  values.add("b.png", unknown_label({unknown_id(12, 1)}));
  const auto diagnostics = diagnostics_of(values, id_context(12));
  REQUIRE(diagnostics.size() == 2);
  CHECK(diagnostics[0].value == "id 12");
  CHECK(diagnostics[1].kind == "many-unknown-values");
  CHECK(diagnostics[1].title == "1 of 148 labels has more than 16 different unknown values");
  CHECK(diagnostics[1].examples[0].path == "photo.png");
  CHECK(diagnostics[1].examples[0].found ==
        "48 of 10,000 pixels have 200 different unknown values");
}

TEST_CASE("unknown values that --unknown handles are a note") {
  UnknownValues values;
  values.add("a.png", unknown_label({unknown_id(12, 40)}));
  const auto diagnostics = diagnostics_of(values, id_context(12, false));
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0].severity == Severity::note);
  CHECK_THAT(diagnostics[0].title, ContainsSubstring("--unknown ignore handles these pixels"));
  CHECK(diagnostics[0].options.empty());
}

TEST_CASE("at most some thousand unknown values are counted separately") {
  UnknownValues values;
  for (int i = 0; i < 10000; ++i)
    values.add("a.png",
               unknown_label({unknown_color(
                   {static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i), 1}, 1)}));
  const auto diagnostics = diagnostics_of(values, color_context());
  REQUIRE(diagnostics.size() == 9);
  CHECK_THAT(diagnostics.back().title, ContainsSubstring("9,992 pixels have one of more than "));
}
